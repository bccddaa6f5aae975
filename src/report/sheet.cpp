#include "report/sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace railyard::report {

namespace {

using results::Row;

/// What a row says under a name: one of its own fields, or a parameter; empty if it says nothing.
std::string field(const Row& row, const std::string& name) {
    if (name == "metric") return row.metric;
    if (name == "fabric") return row.fabric;
    const auto found = row.parameters.find(name);
    return found == row.parameters.end() ? "" : results::to_string(found->second);
}

/// As it is read without its name beside it: operations, fabrics and metrics speak for themselves.
std::string label(const std::string& name, const std::string& value) {
    if (value.empty() || name == "metric" || name == "fabric" || name == results::parameter::op)
        return value;
    return name + " " + value;
}

/// What may tell columns apart, most important first; sizes tell rows apart.
std::vector<std::string> names_in(const std::vector<const Row*>& rows) {
    std::vector<std::string> names{"metric", "fabric", results::parameter::op};
    std::set<std::string> others;
    for (const Row* row : rows)
        for (const auto& [name, value] : row->parameters)
            others.insert(name);
    others.erase(results::parameter::op);
    others.erase(results::parameter::message_bytes);
    names.insert(names.end(), others.begin(), others.end());
    return names;
}

/// Those that people choose, and look for in a table. Others only say how it was done.
bool is_chosen(const std::string& name) {
    namespace parameter = results::parameter;
    const std::set<std::string> chosen{"metric",         "fabric",          parameter::op,
                                       parameter::queue, parameter::window, parameter::memory,
                                       parameter::ports, parameter::mpi};
    return chosen.contains(name);
}

/// Do these names and the size tell all rows apart?
bool tell_apart(const std::vector<const Row*>& rows, const std::vector<std::string>& names) {
    std::set<std::vector<std::string>> seen;
    for (const Row* row : rows) {
        std::vector<std::string> key{field(*row, results::parameter::message_bytes)};
        for (const std::string& name : names)
            key.push_back(field(*row, name));
        if (!seen.insert(std::move(key)).second) return false;
    }
    return true;
}

/// A buffer size that follows from the message size needs no columns of its own.
std::vector<std::string> needed(const std::vector<const Row*>& rows,
                                std::vector<std::string> names) {
    for (std::size_t i = names.size(); i-- > 0;) {
        if (is_chosen(names[i])) continue;
        std::vector<std::string> fewer = names;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (tell_apart(rows, fewer)) names = std::move(fewer);
    }
    return names;
}

}  // namespace

Sheet::Sheet(std::vector<const Row*> rows) : rows_(std::move(rows)) {
    const Row& first = *rows_.front();
    std::string fabric, metric, rest;
    for (const std::string& name : names_in(rows_)) {
        const std::string value = field(first, name);
        const bool varies =
            std::ranges::any_of(rows_, [&](const Row* row) { return field(*row, name) != value; });
        if (varies)
            dimensions_.push_back(name);
        else if (name == "fabric")
            fabric = value.empty() ? "" : " on " + value;
        else if (name == "metric")
            metric = ": " + value;
        else if (!value.empty())
            rest += ", " + label(name, value);
    }
    dimensions_ = needed(rows_, std::move(dimensions_));
    const bool plain = first.unit == results::unit::ratio;
    title_ = fmt::format("{}{}{}{}{}", first.experiment, fabric, metric,
                         plain ? "" : " (" + first.unit + ")", rest);
}

std::vector<std::string> Sheet::values(const Row& row) const {
    std::vector<std::string> out;
    for (const std::string& name : dimensions_)
        out.push_back(field(row, name));
    return out;
}

std::vector<std::string> Sheet::heading(const Row& row) const {
    std::vector<std::string> lines;
    for (const std::string& name : dimensions_)
        lines.push_back(label(name, field(row, name)));
    if (lines.empty()) lines.push_back(row.metric);  // One column, but it must have a name.
    return lines;
}

std::vector<Sheet> sheets(std::span<const Row> rows) {
    using Key = std::pair<std::string, std::string>;
    std::vector<std::pair<Key, std::vector<const Row*>>> groups;
    for (const Row& row : rows) {
        const Key key{row.experiment, row.unit};
        auto group = std::ranges::find(groups, key, [](const auto& g) { return g.first; });
        if (group == groups.end()) group = groups.insert(groups.end(), {key, {}});
        group->second.push_back(&row);
    }
    std::vector<Sheet> out;
    for (auto& [key, members] : groups)
        out.emplace_back(std::move(members));
    return out;
}

std::optional<std::int64_t> message_bytes(const Row& row) {
    const auto found = row.parameters.find(results::parameter::message_bytes);
    if (found == row.parameters.end()) return std::nullopt;
    const auto* size = std::get_if<std::int64_t>(&found->second);
    return size == nullptr ? std::nullopt : std::optional(*size);
}

}  // namespace railyard::report
