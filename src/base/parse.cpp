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

/// Names are words with something between them: "latency-uni", "rdma_write".
bool ends_word(std::string_view name, std::size_t at) {
    return at == name.size() || name[at] == '-' || name[at] == '_';
}

bool begins_with_word(std::string_view name, std::string_view word) {
    return begins_with(name, word) && ends_word(name, word.size());
}

bool has_word(std::string_view name, std::string_view word) {
    for (std::size_t at = 0; at + word.size() <= name.size(); ++at)
        if ((at == 0 || ends_word(name, at - 1)) && begins_with_word(name.substr(at), word))
            return true;
    return false;
}

/// The first in the order of the names, which is the one in which people should meet them.
template <class Fits>
std::optional<std::string> first_that(std::span<const std::string> among, const Fits& fits) {
    const auto found = std::ranges::find_if(among, fits);
    return found != among.end() ? std::optional(*found) : std::nullopt;
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
    constexpr std::size_t shortest_word = 3;
    constexpr std::size_t shortest_beginning = 2;
    if (wrong.size() >= shortest_word)
        if (auto named = first_that(names, [&](auto& n) { return begins_with_word(n, wrong); }))
            return named;

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

    if (wrong.size() < shortest_beginning) return std::nullopt;
    if (auto begun = first_that(names, [&](auto& n) { return begins_with(n, wrong); }))
        return begun;
    if (wrong.size() < shortest_word) return std::nullopt;
    return first_that(names, [&](auto& n) { return has_word(n, wrong); });
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
