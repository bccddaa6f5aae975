/// Relations of MPI libraries: between systems, between ways of connecting, and along sizes or
/// processes.

#include <fmt/format.h>

#include <algorithm>

#include "reproduce/check.hpp"
#include "reproduce/choices.hpp"
#include "reproduce/shapes.hpp"
#include "reproduce/wanted.hpp"

namespace railyard::reproduce {

namespace {

/// One selection a value of `name`.
template <class Values>
std::vector<Selection> spread(const std::vector<Selection>& bases, const char* name,
                              const Values& values) {
    std::vector<Selection> out;
    for (const Selection& base : bases) {
        if (base.where.contains(name)) {
            out.push_back(base);
            continue;
        }
        for (const auto& value : values) {
            out.push_back(base);
            out.back().where[name] = value;
            out.back().label = fmt::format("{} {}", base.label, value);
        }
    }
    return out;
}

/// What a relation looks at on one system: a curve over sizes, or one over processes for each
/// program, collective and size.
std::vector<Selection> curves(const Record& record, const System& system) {
    Selection base = selection_of(record, system);
    base.sizes = mpi_relation_sizes(record);
    const std::string& e = record.experiment;
    // Both ways of connecting have the step.
    if (e == "mvich-latency-bandwidth" && record.check->type == "jump")
        return spread({base}, "mode", std::vector<std::string>{"on-demand", "static"});
    const bool over_processes =
        e == "vi-count" || e == "allreduce-latency" || e == "mpi-init-time" || e == "npb-cpu-time";
    if (!over_processes) return {base};

    base.over = results::parameter::processes;
    if (e == "vi-count") return spread({base}, "application", micro_programs());
    if (e == "npb-cpu-time")
        return spread(spread({base}, "application", kernels_of(record)), "class",
                      classes_on(system));
    if (e == "mpi-init-time" || record.params.contains("message_bytes")) return {base};
    std::vector<Selection> out;
    for (const std::int64_t size : choice::collective_sizes) {
        out.push_back(base);
        out.back().sizes = {size};
        out.back().label = fmt::format("{} {} B", base.label, size);
    }
    return out;
}

std::vector<Selection> all_curves(const Record& record, std::string_view systems) {
    std::vector<Selection> out;
    for (const System* system : systems_of(record, systems))
        std::ranges::move(curves(record, *system), std::back_inserter(out));
    return out;
}

Check compared(const Record& record) {
    const Relation& relation = *record.check;
    const bool connecting = relation.lhs == "on-demand";
    const auto bases = all_curves(record, record.system);
    std::vector<Selection> selections;
    for (const Selection& base : bases)
        for (const std::string& word : {relation.lhs, relation.rhs}) {
            selections.push_back(mpi_variant(base, word));
            if (bases.size() > 1) selections.back().label = fmt::format("{} {}", base.label, word);
        }
    const double usual = connecting ? choice::same_path : choice::alike;
    const double tolerance = relation.tolerance_percent ? *relation.tolerance_percent / 100 : usual;
    return in_pairs(std::move(selections), [=, comparison = comparison_named(relation.op)](
                                               const Series& lhs, const Series& rhs) {
        return compare(lhs, comparison, rhs, lhs.points.size() == 1, tolerance);
    });
}

/// The systems that the relation favours, each of them, before all others.
Check favoured(const Record& record) {
    const auto favourites = systems_of(record, record.check->system);
    std::vector<Selection> selections, others;
    for (const System* system : systems_of(record, "all"))
        for (const Selection& curve : curves(record, *system))
            (std::ranges::find(favourites, system) != favourites.end() ? selections : others)
                .push_back(curve);
    const std::vector sizes{selections.size(), others.size()};
    selections.insert(selections.end(), others.begin(), others.end());
    return in_order(std::move(selections), sizes, better_named(record.check->better));
}

/// Less what the library below takes for the same message.
Check over_user_level(const Record& record, const Check& check) {
    std::vector<Selection> selections;
    for (const Selection& of_mpi : check.selections) {
        selections.push_back(of_mpi);
        Record under = record;
        under.experiment = "user-pingpong";
        under.metric = "latency";
        selections.push_back(selection_of(under, below(*find_system(record.seed, of_mpi.label))));
        selections.back().sizes = of_mpi.sizes;
    }
    return {std::move(selections), [check](std::span<const Series> all) {
                std::vector<Series> overheads;
                for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
                    overheads.push_back(all[i]);
                    for (std::size_t p = 0; p < all[i].points.size(); ++p)
                        overheads.back().points[p].y -= all[i + 1].points[p].y;
                }
                return check.judge(overheads);
            }};
}

Check best_of(const Record& record) {
    if (record.metric == "mpi_overhead") return over_user_level(record, favoured(record));
    if (record.experiment != "mpi-bandwidth-bothway") return favoured(record);
    // The paper has one winner of its three tests.
    std::vector<Check> tests;
    for (const char* test :
         {"mpi-bandwidth-uni", "mpi-bandwidth-pingpong", "mpi-bandwidth-bothway"}) {
        Record one = record;
        one.experiment = test;
        tests.push_back(favoured(one));
    }
    return all_of(std::move(tests));
}

/// Of systems, or of ways in which one system works.
Check ordered(const Record& record) {
    std::vector<Selection> selections;
    std::vector<std::size_t> sizes;
    for (const std::string& word : record.check->order) {
        auto here = all_curves(record, word);
        if (here.empty())
            for (const Selection& base : all_curves(record, record.system))
                here.push_back(mpi_variant(base, word));
        sizes.push_back(here.size());
        selections.insert(selections.end(), here.begin(), here.end());
    }
    return in_order(std::move(selections), sizes, better_named(record.check->better));
}

/// The same work with more VIs open, which only differ in being idle: allreduce on eight
/// processes, where each way of connecting says how many there are.
Check over_vis(const Record& record, Trend trend) {
    Record work = record;
    work.experiment = "allreduce-latency";
    work.params = {{"collective", "allreduce"},
                   {"processes", std::int64_t{8}},
                   {"message_bytes", std::int64_t{1024}}};
    std::vector<Selection> selections;
    for (const System* system : systems_of(record))
        for (const char* mode : {"on-demand", "static"})
            for (const char* metric : {"vis_per_process", "latency"}) {
                work.metric = metric;
                work.params["mode"] = mode;
                selections.push_back(selection_of(work, *system));
            }
    return all_series(std::move(selections), [trend](std::span<const Series> all) {
        Points points;
        for (std::size_t i = 0; i + 1 < all.size(); i += 2)
            points.push_back({all[i].points.front().y, all[i + 1].points.front().y});
        std::ranges::sort(points, {}, &Point::x);
        return monotone(points, trend, "");
    });
}

Check trend_of(const Record& record) {
    const Relation& relation = *record.check;
    const Trend trend = relation.direction == "increasing" ? Trend::rises : Trend::falls;
    if (relation.over == "vis") return over_vis(record, trend);
    return each(all_curves(record, record.system),
                [trend](const Series& s) { return monotone(s.points, trend, ""); });
}

/// A shape at a place that each system has for itself.
Check at_places(const Record& record,
                const std::function<Finding(const Points&, const Switch&)>& shape) {
    std::vector<Check> parts;
    const auto systems = systems_of(record);
    for (const System* system : systems) {
        const Switch place = place_of(*record.check, *system);
        auto selections = curves(record, *system);
        const bool alone = systems.size() == 1 || selections.size() > 1;
        parts.push_back(each(std::move(selections), [=, slug = system->slug](const Series& s) {
            Finding out = shape(s.points, place);
            if (!alone) out.numbers = fmt::format("{}: {}", slug, out.numbers);
            return out;
        }));
    }
    return all_of(std::move(parts));
}

/// The deepest dip of all, each at its own place.
Check steepest(const Record& record) {
    std::vector<Selection> selections;
    std::vector<std::pair<double, double>> ranges;
    std::vector<bool> favourite;
    for (const System* system : systems_of(record)) {
        selections.push_back(curves(record, *system).front());
        ranges.push_back(*protocol_switch(*system).shown());
        favourite.push_back(system->slug == record.check->system);
    }
    return all_series(std::move(selections), [=](std::span<const Series> all) {
        std::vector<std::vector<Series>> groups(2);
        for (std::size_t i = 0; i < all.size(); ++i)
            groups[favourite[i] ? 0 : 1].push_back(
                {all[i].label + " by %", {{0, 100 * depth(all[i].points, ranges[i])}}});
        return order(groups, Better::higher);
    });
}

Finding one_less(const Points& points) {
    Finding out{.holds = !points.empty(), .numbers = {}};
    for (const Point& point : points) {
        out.holds &= point.y == point.x - 1;
        out.numbers += fmt::format("{}{} of {}", out.numbers.empty() ? "" : ", ", brief(point.y),
                                   brief(point.x));
    }
    return out;
}

Check parts_of(const Record& record) {
    std::vector<Check> parts;
    for (const Relation& relation : record.check->parts) {
        Record part = record;
        part.check = relation;
        for (const auto& [name, value] : relation.when)
            part.params[name] = value;
        if (!relation.systems.empty()) part.system = relation.systems;
        if (auto check = mpi_relation_check(part)) parts.push_back(*std::move(check));
    }
    return all_of(std::move(parts));
}

}  // namespace

std::optional<Check> mpi_relation_check(const Record& record) {
    const std::string& type = record.check->type;
    const double value = record.check->value.value_or(1);
    if (type == "all") return parts_of(record);
    if (type == "compare") return compared(record);
    if (type == "best") return best_of(record);
    if (type == "order") return ordered(record);
    if (type == "monotone") return trend_of(record);
    if (type == "steepest") return steepest(record);
    if (type == "formula")
        return each(all_curves(record, record.system),
                    [](const Series& s) { return one_less(s.points); });
    if (type == "above")
        return each(all_curves(record, record.system),
                    [value](const Series& s) { return above(s.points, value); });
    if (type == "near")
        return each(all_curves(record, record.system),
                    [value](const Series& s) { return near(s.points, value); });
    if (type == "dip")
        return at_places(record, [](const Points& points, const Switch& place) {
            return dip(points, place.shown());
        });
    if (type == "jump" || type == "no_jump" || type == "stays_low")
        return at_places(record, [type](const Points& points, const Switch& place) {
            if (type == "stays_low") return stays_low(points, place.rendezvous);
            const auto crossing = [&](double a, double b) { return place.between(a, b); };
            return type == "jump" ? jump(points, crossing) : no_jump(points, crossing);
        });
    return {};
}

}  // namespace railyard::reproduce
