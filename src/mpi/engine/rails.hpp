#pragma once
/// What becomes of a large message where a channel has several rails.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mpi/engine/settings.hpp"

namespace railyard::mpi {

/// A message cut into equal parts, one a rail, the first ones a little longer.
struct Parts {
    std::uint64_t total;
    std::uint64_t count;
    std::uint64_t length(std::uint64_t i) const { return total / count + (i < total % count); }
};

inline Parts cut(std::uint64_t total, std::size_t rails, const Settings& settings) {
    const bool striped = rails > 1 && settings.rails == RailPolicy::striping &&
                         total > settings.striping_threshold.count();
    return {total, striped ? rails : 1};
}

/// The rail that carries a message whole. Bound, the two directions of a pair take different ones,
/// and so do neighbouring ranks (MP-4).
inline std::size_t whole_rail(int self, int peer, std::size_t rails, const Settings& settings) {
    if (settings.rails != RailPolicy::binding) return 0;
    return static_cast<std::size_t>(std::min(self, peer) + (self < peer ? 0 : 1)) % rails;
}

}  // namespace railyard::mpi
