#pragma once
/// Blocks of random lengths at random places, for the collectives whose names end in v and w.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "sim/random.hpp"

namespace railyard::mpi {

struct Uneven {
    std::vector<int> counts;
    std::vector<int> displacements;
    std::size_t total = 0;  ///< elements to make room for

    /// Blocks follow each other in any order, with gaps of up to two elements.
    Uneven(std::vector<int> lengths, sim::Random& random)
        : counts(std::move(lengths)), displacements(counts.size()) {
        std::vector<std::size_t> order(counts.size());
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[random.below(i)]);
        for (const std::size_t i : order) {
            total += random.below(3);
            displacements[i] = static_cast<int>(total);
            total += static_cast<std::size_t>(counts[i]);
        }
    }

    static std::vector<int> random_counts(int ranks, sim::Random& random) {
        std::vector<int> counts;
        for (int i = 0; i < ranks; ++i)
            counts.push_back(random.below(4) == 0 ? 0 : static_cast<int>(random.below(40)));
        return counts;
    }
};

}  // namespace railyard::mpi
