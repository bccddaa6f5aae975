#include "report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

namespace railyard::report {

namespace {

using Group = std::vector<Origin>;
using Alike = std::function<bool(const Origin&, const Origin&)>;

/// Puts together what is alike.
std::vector<Group> grouped(std::span<const Origin> origins, const Alike& alike) {
    std::vector<Group> groups;
    for (const Origin& origin : origins) {
        const auto group =
            std::ranges::find_if(groups, [&](const Group& g) { return alike(g.front(), origin); });
        if (group == groups.end())
            groups.push_back({origin});
        else
            group->push_back(origin);
    }
    return groups;
}

/// The last `parts` parts of a path, without the ending ".json".
std::string ending(const std::filesystem::path& path, std::size_t parts) {
    const std::vector<std::filesystem::path> all(path.begin(), path.end());
    std::filesystem::path out;
    for (std::size_t i = all.size() - std::min(parts, all.size()); i < all.size(); ++i)
        out /= all[i];
    if (out.extension() == ".json" && out.stem() != "") out.replace_extension();
    return out.string();
}

template <class Items>
bool all_differ(const Items& items) {
    return std::set(items.begin(), items.end()).size() == items.size();
}

template <class Part>
bool varies(std::span<const Origin> columns, Part part) {
    return std::ranges::any_of(columns, [&](const Origin& o) {
        return std::invoke(part, o) != std::invoke(part, columns[0]);
    });
}

}  // namespace

std::vector<std::vector<Origin>> kindred(std::span<const Origin> origins) {
    const Alike same_fabric = [](const Origin& a, const Origin& b) { return a.fabric == b.fabric; };
    const Alike same = [](const Origin& a, const Origin& b) {
        return a.fabric == b.fabric && a.mpi == b.mpi;
    };
    std::vector<Group> found;
    Group rest;
    for (Group& group : grouped(origins, same))
        if (group.size() > 1)
            found.push_back(std::move(group));
        else
            rest.push_back(std::move(group.front()));

    Group left;
    for (Group& group : grouped(rest, same_fabric)) {
        const auto known = std::ranges::find_if(
            found, [&](const Group& g) { return same_fabric(g.front(), group.front()); });
        if (known != found.end())
            known->insert(known->end(), group.begin(), group.end());
        else if (group.size() > 1)
            found.push_back(std::move(group));
        else
            left.push_back(std::move(group.front()));
    }
    if (left.size() == 1 && !found.empty())
        found.front().push_back(std::move(left.front()));
    else if (!left.empty())
        found.push_back(std::move(left));
    return found;
}

std::vector<std::string> short_names(std::span<const CompareFile> files) {
    std::vector<std::string> names;
    constexpr std::size_t most_parts = 8;
    for (std::size_t parts = 1; parts <= most_parts; ++parts) {
        names.clear();
        for (const CompareFile& file : files)
            names.push_back(ending(file.path, parts));
        if (all_differ(names)) return names;
    }
    for (std::size_t i = 0; i < files.size(); ++i)
        names[i] = fmt::format("{} ({})", files[i].path, i + 1);
    return names;
}

std::vector<std::vector<std::string>> headings(std::span<const Origin> columns,
                                               std::span<const std::string> files) {
    const bool fabric = varies(columns, &Origin::fabric);
    const bool mpi = varies(columns, &Origin::mpi);
    std::vector<std::vector<std::string>> out;
    for (const Origin& column : columns) {
        std::vector<std::string> lines;
        if (fabric) lines.push_back(column.fabric);
        if (mpi && !column.mpi.empty()) lines.push_back(column.mpi);
        for (const auto& [name, value] : column.other)
            lines.push_back(fmt::format("{} {}", name, results::to_string(value)));
        out.push_back(std::move(lines));
    }
    const bool told =
        all_differ(out) && std::ranges::none_of(out, &std::vector<std::string>::empty);
    if (!told)
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i].insert(out[i].begin(), files[columns[i].file]);
    return out;
}

}  // namespace railyard::report
