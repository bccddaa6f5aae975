#include "reproduce/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace railyard::reproduce {

namespace {

using results::Row;

bool matches(const Row& row, const Selection& selection) {
    if (row.experiment != selection.experiment || row.fabric != selection.fabric ||
        row.metric != selection.metric)
        return false;
    for (const auto& [name, value] : selection.where) {
        const auto found = row.parameters.find(name);
        if (found != row.parameters.end() && found->second != value) return false;
    }
    return true;
}

std::optional<double> parameter(const Row& row, const std::string& name) {
    const auto found = row.parameters.find(name);
    if (found == row.parameters.end()) return {};
    if (const auto* whole = std::get_if<std::int64_t>(&found->second))
        return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&found->second)) return *real;
    return {};
}

bool has_size(const Row& row, const Selection& selection) {
    const auto size = parameter(row, results::parameter::message_bytes);
    const auto is = [&](std::int64_t s) { return static_cast<double>(s) == *size; };
    return !size || selection.sizes.empty() || std::ranges::any_of(selection.sizes, is);
}

/// Where a row lies. An experiment without sizes lies at the one that was asked for.
std::optional<double> place(const Row& row, const Selection& selection) {
    const auto x = parameter(row, selection.over);
    if (x || selection.over != results::parameter::message_bytes) return x;
    return selection.sizes.empty() ? 0 : static_cast<double>(selection.sizes.front());
}

bool inside(double x, const Selection& selection) {
    return !selection.range || (x >= selection.range->first && x <= selection.range->second);
}

/// "op, queue": the parameters in which two rows differ.
std::string differences(const Row& a, const Row& b) {
    std::string out;
    for (const auto& [name, value] : a.parameters) {
        const auto other = b.parameters.find(name);
        if (other == b.parameters.end() || other->second != value)
            out += (out.empty() ? "" : ", ") + name;
    }
    return out.empty() ? "nothing" : out;
}

/// Ratios as the paper prints them.
double value(const Row& row, const Selection& selection) {
    return selection.percent && row.unit == results::unit::ratio ? 100 * row.value : row.value;
}

std::string wanted(const Selection& selection) {
    std::string out =
        fmt::format("{} of {} on {}", selection.metric, selection.experiment, selection.fabric);
    for (const auto& [name, value] : selection.where)
        out += fmt::format(", {} {}", name, results::to_string(value));
    return out;
}

}  // namespace

bool same(const Selection& a, const Selection& b) {
    const auto key = [](const Selection& s) {
        return std::tie(s.experiment, s.fabric, s.metric, s.where, s.sizes, s.over, s.range,
                        s.last_only);
    };
    return key(a) == key(b);
}

std::variant<Series, Unavailable> select(std::span<const Row> rows, const Selection& selection) {
    std::map<double, const Row*> found;
    for (const Row& row : rows) {
        if (!matches(row, selection) || !has_size(row, selection)) continue;
        const auto x = place(row, selection);
        if (!x)
            return Unavailable{
                fmt::format("{}: the rows have no {}", wanted(selection), selection.over)};
        if (!inside(*x, selection)) continue;
        const auto [other, added] = found.emplace(*x, &row);
        if (!added)
            return Unavailable{fmt::format("{}: several rows, which differ in {}",
                                           wanted(selection), differences(*other->second, row))};
    }
    const bool by_size = selection.over == results::parameter::message_bytes;
    if (found.empty() || (by_size && found.size() < selection.sizes.size()))
        return Unavailable{fmt::format("{}: not measured", wanted(selection))};
    Series out{selection.label, {}};
    for (const auto& [x, row] : found)
        out.points.push_back({x, value(*row, selection)});
    if (selection.last_only) out.points = {out.points.back()};
    return out;
}

}  // namespace railyard::reproduce
