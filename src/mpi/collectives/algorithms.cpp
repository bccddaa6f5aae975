#include "mpi/collectives/algorithms.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <vector>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi {

namespace {

namespace choices {

using enum Algorithm;

constexpr Algorithm for_barrier[] = {dissemination, pairwise, flat, tree, shared, by_node};
constexpr Algorithm for_bcast[] = {binomial, scatter_doubling, scatter_ring, chain, flat,
                                   tree,     by_node,          shared,       direct};
constexpr Algorithm for_gather[] = {binomial, flat, by_node, shared};
constexpr Algorithm for_gatherv[] = {flat};
constexpr Algorithm for_allgather[] = {
    recursive_doubling, bruck, ring, flat, linear, by_node, shared, direct};
constexpr Algorithm for_allgatherv[] = {bruck, ring, flat, linear};
constexpr Algorithm for_alltoall[] = {pairwise, bruck, linear, by_node, shared, direct};
constexpr Algorithm for_alltoallv[] = {pairwise, linear};
constexpr Algorithm for_reduce[] = {binomial, rabenseifner, flat,   tree,
                                    linear,   by_node,      shared, direct};
constexpr Algorithm for_allreduce[] = {
    recursive_doubling, rabenseifner, ring, reduce_bcast, flat, tree, linear, shared, by_node};
constexpr Algorithm for_reduce_scatter[] = {recursive_halving, pairwise, reduce_scatter};
constexpr Algorithm for_scan[] = {recursive_doubling, linear};

}  // namespace choices

struct Entry {
    std::string_view name;
    std::span<const Algorithm> algorithms;
};

/// In the order of Collective.
constexpr std::array<Entry, collective_count> entries = {{
    {"barrier", choices::for_barrier},
    {"bcast", choices::for_bcast},
    {"gather", choices::for_gather},
    {"gatherv", choices::for_gatherv},
    {"scatter", choices::for_gather},
    {"scatterv", choices::for_gatherv},
    {"allgather", choices::for_allgather},
    {"allgatherv", choices::for_allgatherv},
    {"alltoall", choices::for_alltoall},
    {"alltoallv", choices::for_alltoallv},
    {"alltoallw", choices::for_alltoallv},
    {"reduce", choices::for_reduce},
    {"allreduce", choices::for_allreduce},
    {"reduce_scatter", choices::for_reduce_scatter},
    {"reduce_scatter_block", choices::for_reduce_scatter},
    {"scan", choices::for_scan},
    {"exscan", choices::for_scan},
}};

/// In the order of Algorithm.
constexpr std::array<std::string_view, 20> names = {
    "automatic",
    "binomial",
    "by-node",
    "bruck",
    "chain",
    "direct",
    "dissemination",
    "flat",
    "linear",
    "pairwise",
    "rabenseifner",
    "recursive-doubling",
    "recursive-halving",
    "reduce-bcast",
    "reduce-scatter",
    "ring",
    "scatter-doubling",
    "scatter-ring",
    "shared",
    "tree",
};
static_assert(names.size() == static_cast<std::size_t>(Algorithm::tree) + 1);

const Entry& entry_of(Collective collective) {
    return entries[static_cast<std::size_t>(collective)];
}

Collective parse_collective(std::string_view word) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].name == word) return static_cast<Collective>(i);
        known.emplace_back(entries[i].name);
    }
    throw UsageError(fmt::format("algorithms: '{}' is no collective; there are {}{}", word,
                                 fmt::join(known, ", "), did_you_mean(word, known, "; ")));
}

Algorithm parse_algorithm(std::string_view word, Collective collective) {
    if (word == name(Algorithm::automatic)) return Algorithm::automatic;
    std::vector<std::string> known = {std::string(name(Algorithm::automatic))};
    for (const Algorithm algorithm : algorithms_of(collective)) {
        if (name(algorithm) == word) return algorithm;
        known.emplace_back(name(algorithm));
    }
    throw UsageError(fmt::format("algorithms: {} has no algorithm '{}'; it has {}{}",
                                 name(collective), word, fmt::join(known, ", "),
                                 did_you_mean(word, known, "; ")));
}

}  // namespace

std::string_view name(Collective collective) {
    return entry_of(collective).name;
}

std::string_view name(Algorithm algorithm) {
    return names[static_cast<std::size_t>(algorithm)];
}

std::span<const Algorithm> algorithms_of(Collective collective) {
    return entry_of(collective).algorithms;
}

Algorithms parse_algorithms(std::string_view text) {
    Algorithms result;
    if (trim(text).empty() || trim(text) == name(Algorithm::automatic)) return result;
    while (true) {
        const auto comma = text.find(',');
        const std::string_view word = trim(text.substr(0, comma));
        const auto equals = word.find('=');
        if (equals == std::string_view::npos)
            throw UsageError(fmt::format(
                "algorithms: expected COLLECTIVE=ALGORITHM such as 'barrier=pairwise', found '{}'",
                word));
        const Collective collective = parse_collective(trim(word.substr(0, equals)));
        result[collective] = parse_algorithm(trim(word.substr(equals + 1)), collective);
        if (comma == std::string_view::npos) return result;
        text.remove_prefix(comma + 1);
    }
}

std::string to_string(const Algorithms& algorithms) {
    std::string text;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto collective = static_cast<Collective>(i);
        if (algorithms[collective] == Algorithm::automatic) continue;
        if (!text.empty()) text += ',';
        text += fmt::format("{}={}", name(collective), name(algorithms[collective]));
    }
    return text;
}

}  // namespace railyard::mpi
