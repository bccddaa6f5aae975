/// Relations between systems or variants: which is best, in which order they stand, how two of them
/// compare.

#include <fmt/format.h>

#include <algorithm>

#include "railyard/base/error.hpp"
#include "reproduce/check.hpp"
#include "reproduce/choices.hpp"
#include "reproduce/wanted.hpp"

namespace railyard::reproduce {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> out;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        out.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

Selection at_sizes(const Record& record, const System& system, std::string_view op = "") {
    Record asked = record;
    if (!record.check->metric.empty()) asked.metric = record.check->metric;
    Selection out = selection_of(asked, system, op);
    out.sizes = relation_sizes(record);
    return out;
}

/// One place of an order: "quadrics/tports+quadrics/mpi", "quadrics/elan3lib:source=elan".
std::vector<Selection> place(const Record& record, const std::string& text) {
    std::vector<Selection> out;
    for (const std::string& item : split(text, '+')) {
        const auto parts = split(item, ':');
        for (const System* system : systems_of(record, parts.front())) {
            const Selection base = at_sizes(record, *system);
            if (parts.size() == 1) {
                out.push_back(base);
                continue;
            }
            for (const auto& [source, destination] : placements())
                if (parts[1] == "source=" + source)
                    out.push_back(placed(base, source, destination));
        }
    }
    return out;
}

/// Every operation of every system of the record, and whose it is.
struct Rivals {
    std::vector<Selection> selections;
    std::vector<bool> favourite;
};

Rivals rivals(const Record& record) {
    Rivals out;
    const bool alone = systems_of(record).size() == 1;
    for (const System* system : systems_of(record, alone ? "all" : record.system)) {
        const bool favourite = system->slug == record.check->system;
        // An operation that the record names is the favourite's; it must beat all of the others'.
        Record of_rival = record;
        if (!favourite) of_rival.params.erase("op");
        for (const std::string& op : operations(of_rival, *system)) {
            out.selections.push_back(at_sizes(record, *system, op));
            out.selections.back().label = fmt::format("{} {}", system->slug, op);
            out.favourite.push_back(favourite);
        }
    }
    return out;
}

/// The worse of what latency and bandwidth lose without reuse: two selections a system.
Check least_sensitive(const Record& record) {
    Rivals found;
    Record part = record;
    part.check->over = "reuse_percent";
    for (const System* system : systems_of(record))
        for (const auto& [metric, size] : {std::pair("latency", 4096), {"bandwidth", 512 << 10}}) {
            part.metric = metric;
            part.params["message_bytes"] = std::int64_t{size};
            found.selections.push_back(along(part, *system).front());
            found.favourite.push_back(system->slug == record.check->system);
        }
    const auto judge = [favourite = found.favourite](std::span<const Series> all) {
        std::vector<Series> ours, others;
        for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
            const double loss = std::max(change(all[i].points), change(all[i + 1].points));
            (favourite[i] ? ours : others).push_back({all[i].label, {{0, 100 * loss}}});
        }
        return judgement(best(ours, others, Better::lower));
    };
    return {std::move(found.selections), judge};
}

/// The bases from which both sides of a comparison are made: all that the record leaves open.
std::vector<Selection> bases(const Record& record) {
    const Relation& relation = *record.check;
    const bool of_systems = find_system(record.seed, relation.lhs) != nullptr;
    std::vector<const System*> systems = systems_of(record);
    if (of_systems) systems.resize(1);

    std::vector<Selection> out;
    for (const System* system : systems) {
        if (record.experiment == "latency-atomic") {
            for (const char* op : {"fetch_add", "compare_swap"}) {
                out.push_back(at_sizes(record, *system, op));
                out.back().label = fmt::format("{} {}", system->slug, op);
            }
        } else if (of_systems && record.experiment == "bandwidth-bi-two-port") {
            for (const char* mode : {"striping", "binding"})
                out.push_back(variant(at_sizes(record, *system), mode, record.seed));
        } else if (record.experiment == "quadrics-ping-bi" && is_user_level(relation.lhs)) {
            for (const auto& [source, destination] : placements())
                out.push_back(placed(at_sizes(record, *system), source, destination));
        } else if (of_systems) {
            for (const std::string& op : operations(record, *system)) {
                out.push_back(at_sizes(record, *system, op));
                out.back().label = op;
            }
        } else {
            out.push_back(at_sizes(record, *system));
        }
    }
    return out;
}

/// One side of a comparison. Where there are several, its label says which one it is.
Selection side(const Record& record, const Selection& base, const std::string& word, bool several) {
    Selection out = variant(base, word, record.seed);
    if (several) out.label = fmt::format("{} {}", base.label, word);
    const System* system = find_system(record.seed, word);
    if (system != nullptr && record.experiment.starts_with("hotspot")) {
        // The usual operation of each system, not that of the first.
        out.where[results::parameter::op] = std::string(system->ops.front());
        out.over = "slaves";
    }
    return out;
}

}  // namespace

Check order_check(const Record& record) {
    std::vector<Selection> selections;
    std::vector<std::size_t> sizes;
    for (const std::string& text : record.check->order) {
        const auto here = place(record, text);
        if (here.empty()) continue;
        selections.insert(selections.end(), here.begin(), here.end());
        sizes.push_back(here.size());
    }
    return in_order(std::move(selections), std::move(sizes), better_named(record.check->better));
}

Check best_check(const Record& record) {
    if (record.metric == "sensitivity") return least_sensitive(record);
    Rivals found = rivals(record);
    const auto judge = [favourite = found.favourite,
                        better = better_named(record.check->better)](std::span<const Series> all) {
        std::vector<Series> ours, others;
        for (std::size_t i = 0; i < all.size(); ++i)
            (favourite[i] ? ours : others).push_back(all[i]);
        return judgement(best(ours, others, better));
    };
    return {std::move(found.selections), judge};
}

Check compare_check(const Record& record) {
    const Relation& relation = *record.check;
    std::vector<Selection> selections;
    const std::vector<Selection> open = bases(record);
    for (const Selection& base : open) {
        selections.push_back(side(record, base, relation.lhs, open.size() > 1));
        selections.push_back(side(record, base, relation.rhs, open.size() > 1));
    }
    // Two variants may meet somewhere in a sweep of our own choosing; two systems must not.
    const bool everywhere =
        selections.front().sizes.size() == 1 || find_system(record.seed, relation.lhs) != nullptr;
    const double tolerance = relation.tolerance_percent.value_or(100 * choice::alike) / 100;
    return in_pairs(std::move(selections), [=, comparison = comparison_named(relation.op)](
                                               const Series& lhs, const Series& rhs) {
        return compare(lhs, comparison, rhs, everywhere, tolerance);
    });
}

}  // namespace railyard::reproduce
