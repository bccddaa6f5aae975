#include "base/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace railyard {
namespace {

constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool begins_with(std::string_view name, std::string_view start) {
    return name.size() >= start.size() &&
           std::equal(start.begin(), start.end(), name.begin(),
                      [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Row i holds the distances from the first i letters of `a` to every beginning of `b`. A swap
    // of neighbours looks two rows back, so three rows are kept.
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before, above);
        std::swap(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::optional<std::string> nearest(std::string_view wrong, std::span<const std::string> names) {
    const std::string* best = nullptr;
    std::size_t best_distance = 0;
    for (const std::string& name : names) {
        const std::size_t shorter = std::min(wrong.size(), name.size());
        const std::size_t longer = std::max(wrong.size(), name.size());
        const std::size_t cutoff = (longer + 2) / 3;
        // The difference in length is a lower bound, and spares the table for what cannot fit.
        if (shorter == 0 || longer - shorter > cutoff) continue;
        const std::size_t distance = edit_distance(wrong, name);
        // A word of which every letter is wrong is another word.
        if (distance > cutoff || distance >= longer) continue;
        if (best == nullptr || distance < best_distance) {
            best = &name;
            best_distance = distance;
        }
    }
    if (best != nullptr) return *best;

    constexpr std::size_t shortest_beginning = 2;
    if (wrong.size() < shortest_beginning) return std::nullopt;
    for (const std::string& name : names)
        if (begins_with(name, wrong)) return name;
    return std::nullopt;
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string> names,
                         std::string_view before, std::string_view after) {
    const auto right = nearest(wrong, names);
    return right ? fmt::format("{}did you mean '{}'?{}", before, *right, after) : "";
}

std::string advice(std::string_view wrong, std::span<const std::string> names,
                   std::string_view there_are) {
    const std::string meant = did_you_mean(wrong, names);
    return !meant.empty() ? meant : fmt::format("{} {}", there_are, fmt::join(names, ", "));
}

}  // namespace railyard
