/// Records without a number: what to measure for each type of relation, and which shape it has.
/// From the shape of one curve to a check of many.

#include <fmt/format.h>

#include <algorithm>

#include "railyard/base/error.hpp"
#include "reproduce/check.hpp"
#include "reproduce/choices.hpp"
#include "reproduce/wanted.hpp"

namespace railyard::reproduce {

namespace {

Better better_of(const Record& record) {
    return record.metric.find("latency") != std::string::npos ||
                   record.metric.find("overhead") != std::string::npos
               ? Better::lower
               : Better::higher;
}

Check flat_check(const Record& record) {
    auto selections = along_all(record);
    if (record.check->over == "connections")
        return each(std::move(selections), [](const Series& s) { return never_drops(s.points); });
    // Over slaves the paper says "only slightly".
    const bool nearly = record.check->over == "slaves";
    return each(std::move(selections),
                [nearly](const Series& s) { return nearly ? slight(s.points) : flat(s.points); });
}

/// Whether the systems' changes are in the order of the words that the paper has for them.
Finding strengths_in_order(std::span<const Series> all, const std::vector<int>& strengths) {
    std::optional<double> margin;
    for (std::size_t i = 1; i < all.size(); ++i) {
        const double mine = change(all[0].points);
        const double theirs = change(all[i].points);
        const double ahead = strengths[0] > strengths[i] ? mine - theirs : theirs - mine;
        margin = lesser(margin, ahead);
        if (ahead <= 0)
            return {false, fmt::format("but {} changes by {:.1f} %", all[i].label, 100 * theirs),
                    margin};
    }
    return {true, "", margin};
}

int strength_of(const Relation& relation) {
    return relation.strength == "strong" ? 3 : relation.strength == "medium" ? 2 : 1;
}

Check monotone_check(const Record& record, std::span<const Record> records) {
    const Relation& relation = *record.check;
    const Trend trend = relation.direction == "increasing" ? Trend::rises : Trend::falls;
    if (relation.strength.empty())
        return each(along_all(record),
                    [trend](const Series& s) { return monotone(s.points, trend, ""); });

    auto selections = along_all(record);
    std::vector<int> strengths{strength_of(relation)};
    for (const Record& other : records) {
        if (!other.check || other.check->type != "monotone" || other.seed != record.seed ||
            other.experiment != record.experiment || other.metric != record.metric ||
            strength_of(*other.check) == strengths.front())
            continue;
        for (const Selection& theirs : along_all(other)) {
            selections.push_back(theirs);
            strengths.push_back(strength_of(*other.check));
        }
    }
    return all_series(std::move(selections),
                      [=, strength = relation.strength](std::span<const Series> all) {
                          Finding out = monotone(all.front().points, trend, strength);
                          const Finding ranked = strengths_in_order(all, strengths);
                          out.margin = lesser(out.margin, ranked.margin);
                          if (!ranked.holds)
                              out = {false, out.numbers + ", " + ranked.numbers, out.margin};
                          return out;
                      });
}

Check ratio_check(const Record& record) {
    const Relation& relation = *record.check;
    std::vector<Selection> selections;
    for (const System* system : systems_of(record)) {
        const Selection base = selection_of(record, *system);
        selections.push_back(variant(base, relation.lhs, record.seed));
        selections.push_back(variant(base, relation.rhs, record.seed));
    }
    const double value = relation.value.value_or(1);
    return in_pairs(std::move(selections), [value](const Series& lhs, const Series& rhs) {
        return ratio(lhs, rhs, value);
    });
}

Check range_check(const Record& record) {
    std::vector<Selection> selections;
    for (const System* system : systems_of(record)) {
        const Selection base = selection_of(record, *system);
        if (base.where.contains("source"))
            for (const auto& [source, destination] : placements())
                selections.push_back(placed(base, source, destination));
        else
            selections.push_back(base);
    }
    const Relation& relation = *record.check;
    return all_series(std::move(selections),
                      [low = relation.low.value_or(0), high = relation.high.value_or(0)](
                          std::span<const Series> all) { return within(all, low, high); });
}

Check slope_check(const Record& record) {
    std::vector<Selection> selections;
    for (const std::string& slug : record.check->order)
        for (const System* system : systems_of(record, slug))
            selections.push_back(along(record, *system).front());
    return all_series(std::move(selections), slope_order);
}

Check peak_check(const Record& record) {
    std::vector<Selection> selections;
    for (const System* system : systems_of(record)) {
        selections.push_back(selection_of(record, *system));
        selections.push_back(selections.back());
        selections.back().where[results::parameter::queue] = choice::queue;
        selections.back().label = fmt::format("with {}", choice::queue);
    }
    return in_pairs(std::move(selections), reaches_peak);
}

void append(std::string& numbers, const std::string& more) {
    if (!numbers.empty() && !more.empty()) numbers += "; ";
    numbers += more;
}

}  // namespace

std::vector<Selection> along(const Record& record, const System& system) {
    const Relation& relation = *record.check;
    Selection base = selection_of(record, system);
    base.range = relation.range;
    base.last_only = false;
    base.where.erase("slaves");
    base.sizes = relation_sizes(record);
    if (relation.over.empty() || relation.over == results::parameter::message_bytes) return {base};
    base.over = relation.over;
    std::vector<Selection> out;
    for (const std::int64_t size : relation_sizes(record)) {
        base.sizes = {size};
        base.label = fmt::format("{} {} B", system.slug, size);
        out.push_back(base);
    }
    if (out.size() == 1) out.front().label = system.slug;
    return out;
}

std::vector<Selection> along_all(const Record& record) {
    std::vector<Selection> out;
    for (const System* system : systems_of(record))
        for (Selection& selection : along(record, *system)) {
            out.push_back(selection);
            if (record.experiment != "quadrics-hotspot") continue;
            out.back().label = "reading";
            out.push_back(selection);  // and writing
            out.back().where[results::parameter::op] = "rdma_write";
            out.back().label = "writing";
        }
    return out;
}

std::optional<Check> relation_check(const Record& record, std::span<const Record> records) {
    const auto of_mpi = [](const System* system) { return is_mpi(system->slug); };
    if (std::ranges::any_of(systems_of(record), of_mpi)) return mpi_relation_check(record);
    const Relation& relation = *record.check;
    const auto at = relation.at;
    if (relation.type == "flat") return flat_check(record);
    if (relation.type == "monotone") return monotone_check(record, records);
    if (relation.type == "knee")
        return each(along_all(record),
                    [after = relation.after.value_or(0), better = better_of(record)](
                        const Series& s) { return knee(s.points, after, better); });
    if (relation.type == "valley" && at)
        return each(along_all(record), [at](const Series& s) { return valley(s.points, *at); });
    if (relation.type == "dip")
        return each(along_all(record),
                    [range = relation.range](const Series& s) { return dip(s.points, range); });
    if (relation.type == "order") return order_check(record);
    if (relation.type == "best") return best_check(record);
    if (relation.type == "compare") return compare_check(record);
    if (relation.type == "ratio") return ratio_check(record);
    if (relation.type == "range") return range_check(record);
    if (relation.type == "slope_order") return slope_check(record);
    if (relation.type == "reaches_peak") return peak_check(record);
    return sentence_check(record);
}

Judgement judgement(const Finding& finding) {
    return {.right = finding.holds,
            .ours = {},
            .difference_percent = {},
            .numbers = finding.numbers,
            .margin = finding.margin};
}

Check each(std::vector<Selection> selections, std::function<Finding(const Series&)> shape) {
    return all_series(
        std::move(selections), [shape = std::move(shape)](std::span<const Series> all) {
            Finding out{.holds = !all.empty(), .numbers = {}};
            for (const Series& series : all) {
                const Finding finding = shape(series);
                out.holds &= finding.holds;
                out.margin = lesser(out.margin, finding.margin);
                append(out.numbers,
                       (all.size() > 1 ? series.label + ": " : std::string()) + finding.numbers);
            }
            return out;
        });
}

Check all_series(std::vector<Selection> selections,
                 std::function<Finding(std::span<const Series>)> shape) {
    return {std::move(selections), [shape = std::move(shape)](std::span<const Series> all) {
                return judgement(shape(all));
            }};
}

Check in_pairs(std::vector<Selection> selections,
               std::function<Finding(const Series&, const Series&)> shape) {
    return all_series(std::move(selections),
                      [shape = std::move(shape)](std::span<const Series> all) {
                          Finding out{.holds = all.size() >= 2, .numbers = {}};
                          for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
                              const Finding finding = shape(all[i], all[i + 1]);
                              out.holds &= finding.holds;
                              out.margin = lesser(out.margin, finding.margin);
                              append(out.numbers, finding.numbers);
                          }
                          return out;
                      });
}

Check in_order(std::vector<Selection> selections, std::vector<std::size_t> sizes, Better better) {
    return all_series(
        std::move(selections), [sizes = std::move(sizes), better](std::span<const Series> all) {
            std::vector<std::vector<Series>> groups;
            for (const std::size_t size : sizes) {
                groups.emplace_back(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
                all = all.subspan(size);
            }
            return order(groups, better);
        });
}

Check all_of(std::vector<Check> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    Check out;
    for (const Check& part : parts)
        out.selections.insert(out.selections.end(), part.selections.begin(), part.selections.end());
    out.judge = [parts = std::move(parts)](std::span<const Series> all) {
        // Of what fails, all numbers; of what holds, some.
        constexpr std::size_t shown = 4;
        std::string right, wrong;
        std::size_t holding = 0;
        std::optional<double> margin;
        for (const Check& part : parts) {
            const Judgement found = part.judge(all.first(part.selections.size()));
            margin = lesser(margin, found.margin);
            all = all.subspan(part.selections.size());
            if (!found.right)
                append(wrong, found.numbers);
            else if (++holding <= shown)
                append(right, found.numbers);
        }
        if (holding > shown) append(right, fmt::format("and {} more", holding - shown));
        const bool holds = !parts.empty() && holding == parts.size();
        return judgement({holds, holds ? right : wrong, margin});
    };
    return out;
}

}  // namespace railyard::reproduce
