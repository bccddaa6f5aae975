/// Checks of relations that only a reading of a paper's words has (readings.cpp).

#include <fmt/format.h>

#include <algorithm>

#include "reproduce/check.hpp"
#include "reproduce/choices.hpp"
#include "reproduce/wanted.hpp"

namespace railyard::reproduce {

namespace {

double mean_of_pairs(const Series& a, const Series& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.points.size(); ++i)
        sum += a.points[i].y / b.points[i].y;
    return sum / static_cast<double>(a.points.size());
}

/// What a short queue costs at worst: two selections a system, with 8 outstanding and with 100.
Check most_sensitive(const Record& record) {
    constexpr std::int64_t short_queue = 8;
    std::vector<Selection> selections;
    std::vector<bool> favourite;
    for (const System* system : systems_of(record))
        for (const std::int64_t queue : {short_queue, choice::queue}) {
            selections.push_back(selection_of(record, *system));
            selections.back().sizes.assign(choice::bandwidth_sizes.begin(),
                                           choice::bandwidth_sizes.end());
            selections.back().where[results::parameter::queue] = queue;
            favourite.push_back(system->slug == record.check->system);
        }
    return all_series(std::move(selections), [favourite](std::span<const Series> all) {
        std::vector<Series> ours, others;
        for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
            double loss = 0;
            for (std::size_t p = 0; p < all[i].points.size(); ++p)
                loss = std::max(loss, 1 - all[i].points[p].y / all[i + 1].points[p].y);
            (favourite[i] ? ours : others).push_back({all[i].label + " %", {{0, 100 * loss}}});
        }
        return best(ours, others, Better::higher);
    });
}

/// "<<": less than half. Two selections a system, both ways and one way.
Check least_degraded(const Record& record) {
    std::vector<Selection> selections;
    std::vector<bool> favourite;
    for (const System* system : systems_of(record)) {
        selections.push_back(selection_of(record, *system));
        selections.push_back(variant(selections.back(), "latency-uni", record.seed));
        favourite.insert(favourite.end(), 2, system->slug == record.check->system);
        selections[selections.size() - 2].label = system->slug;
    }
    return all_series(std::move(selections), [favourite](std::span<const Series> all) {
        std::vector<Series> halved, others;
        std::string numbers;
        for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
            const double loss = 100 * (mean_of_pairs(all[i], all[i + 1]) - 1);
            numbers +=
                fmt::format("{}{} {} %", numbers.empty() ? "" : ", ", all[i].label, brief(loss));
            (favourite[i] ? halved : others)
                .push_back({all[i].label, {{0, favourite[i] ? 2 * loss : loss}}});
        }
        Finding out = best(halved, others, Better::lower);
        out.numbers = numbers;
        return out;
    });
}

/// The library on the same fabric, one port each: at some size ahead of what it stands on.
Check mpi_ahead(const Record& record) {
    std::vector<Selection> selections;
    for (const System& mpi : systems()) {
        if (mpi.seed != record.seed || !is_mpi(mpi.slug)) continue;
        selections.push_back(selection_of(record, mpi));
        selections.back().sizes.assign(choice::bandwidth_sizes.begin(),
                                       choice::bandwidth_sizes.end());
        Record under = record;
        under.experiment = "bandwidth-bi-window";
        under.metric = "bandwidth_aggregate";
        selections.push_back(selection_of(under, below(mpi)));
        selections.back().sizes = selections[selections.size() - 2].sizes;
    }
    return all_series(std::move(selections), [](std::span<const Series> all) {
        Finding out{.holds = false, .numbers = "MPI is nowhere ahead"};
        for (std::size_t i = 0; i + 1 < all.size(); i += 2)
            for (std::size_t p = 0; p < all[i].points.size(); ++p) {
                const double ahead = all[i].points[p].y / all[i + 1].points[p].y - 1;
                if (out.margin && ahead <= *out.margin) continue;
                out.margin = ahead;
                out.holds = ahead > choice::noise;
                out.numbers = fmt::format("{} {} and {} {} at {} bytes", all[i].label,
                                          brief(all[i].points[p].y), all[i + 1].label,
                                          brief(all[i + 1].points[p].y), brief(all[i].points[p].x));
            }
        return out;
    });
}

/// As shares of the last point.
Series course_of(const Series& series) {
    Series out = series;
    for (Point& point : out.points)
        point.y /= series.points.back().y;
    return out;
}

Check alike_along(const Record& record) {
    const Relation& relation = *record.check;
    std::vector<Selection> selections;
    const auto lhs = along(record, *find_system(record.seed, relation.lhs));
    const auto rhs = along(record, *find_system(record.seed, relation.rhs));
    for (std::size_t i = 0; i < lhs.size(); ++i) {
        selections.push_back(lhs[i]);
        selections.push_back(rhs[i]);
    }
    return in_pairs(std::move(selections), [](const Series& a, const Series& b) {
        if (a.points.empty() || b.points.empty()) return Finding{false, "not measured"};
        return compare(course_of(a), Comparison::alike, course_of(b), true, choice::alike);
    });
}

}  // namespace

std::optional<Check> sentence_check(const Record& record) {
    const std::string& type = record.check->type;
    if (type == "most_sensitive") return most_sensitive(record);
    if (type == "least_degraded") return least_degraded(record);
    if (type == "mpi_ahead") return mpi_ahead(record);
    if (type == "alike_along") return alike_along(record);
    if (type == "slight")
        return each(along_all(record), [](const Series& s) { return slight(s.points); });
    if (type == "sustained") {
        Record total = record;
        total.metric = record.check->metric;
        return each(along_all(total), [](const Series& s) { return never_drops(s.points); });
    }
    return {};
}

}  // namespace railyard::reproduce
