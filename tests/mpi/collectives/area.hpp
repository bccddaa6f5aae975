#pragma once
/// Memory with elements of a type in it, as a user has them, with all that lies between them.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "mpi/types/datatype.hpp"
#include "sim/random.hpp"

namespace railyard::mpi {

using Packed = std::vector<std::byte>;

class Area {
  public:
    /// Room for elements 0 … count - 1, wherever their type puts them.
    Area(std::size_t count, const Datatype& type);

    void* address() { return memory_.data() - low_; }
    Buffer buffer() { return {address(), count_, type_}; }
    Buffer buffer(std::size_t count) { return {address(), count, type_}; }

    /// Puts packed elements from number `first` on.
    Area& put(std::size_t first, std::span<const std::byte> packed);
    Packed get(std::size_t first, std::size_t count) const;

    /// Gaps included: nothing else was touched.
    bool operator==(const Area& other) const = default;

  private:
    std::size_t count_;
    const Datatype* type_;
    std::ptrdiff_t low_ = 0;
    std::vector<std::byte> memory_;
};

/// `bytes` bytes that only this seed gives.
Packed random_bytes(std::size_t bytes, std::uint64_t seed);

/// Types of three ints each: in a row, with gaps, backwards, below their address, interleaved.
const std::vector<TypeRef>& types_of_three_ints();
/// Types of two 64-bit integers each, likewise.
const std::vector<TypeRef>& types_of_two_longs();

/// Blocks of random lengths in any order, for the collectives whose names end in v and w.
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
