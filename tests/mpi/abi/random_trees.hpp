#pragma once
/// Datatypes by chance that ranks hand each other, and memory for them: the same on all ranks for a
/// seed.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "mpi/abi/on_ranks.hpp"
#include "mpi/abi/state.hpp"
#include "mpi/types/random_types.hpp"

namespace railyard::mpi {

/// Memory that all places of some elements lie in, filled by a seed.
struct Field {
    Field(const std::vector<std::ptrdiff_t>& places, std::uint64_t seed) {
        const auto [low, high] = std::minmax_element(places.begin(), places.end());
        first = *low;
        bytes.resize(static_cast<std::size_t>(*high - *low + 1));
        RandomTypes random(seed);
        for (std::byte& b : bytes)
            b = static_cast<std::byte>(random.number(0, 255));
    }
    /// May lie outside of the memory, hence the integer.
    void* address() {
        return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(bytes.data()) -
                                       static_cast<std::uintptr_t>(first));
    }
    std::byte& at(std::ptrdiff_t place) { return bytes[static_cast<std::size_t>(place - first)]; }
    /// The bytes at these places, in that order.
    std::vector<std::byte> stream(const std::vector<std::ptrdiff_t>& places) {
        std::vector<std::byte> found;
        found.reserve(places.size());
        for (const std::ptrdiff_t place : places)
            found.push_back(at(place));
        return found;
    }
    void put(const std::vector<std::ptrdiff_t>& places, const std::byte* stream) {
        for (const std::ptrdiff_t place : places)
            at(place) = *stream++;
    }

    std::ptrdiff_t first;
    std::vector<std::byte> bytes;
};

/// Some elements of a type.
struct Tree {
    Twin twin;
    MPI_Datatype type;
    int count;
    std::vector<std::ptrdiff_t> places;  ///< of the elements' bytes, as they are sent

    int length() const { return static_cast<int>(places.size()); }
    /// MPI forbids to receive twice into the same byte.
    bool overlaps() const {
        auto sorted = places;
        std::sort(sorted.begin(), sorted.end());
        return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    }
};

/// Of those of no byte, or of very many, none is made. Some are longer than what is sent eagerly.
inline void for_trees(std::uint64_t first_seed, std::uint64_t seeds,
                      const std::function<void(const Tree& tree, std::uint64_t seed)>& body) {
    for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
        RandomTypes random(seed);
        const Twin twin = random.make(1 + static_cast<int>(seed % 5));
        const std::size_t size = std::max<std::size_t>(twin.naive.size(), 1);
        const std::size_t count = seed % 20 == 0 ? 40'000 / size + 1 : random.count(1, 3);
        const auto extent = static_cast<std::size_t>(std::abs(twin.naive.extent()));
        if (count * std::max(size, extent) > 200'000) continue;
        Tree tree{twin, MPI_DATATYPE_NULL, static_cast<int>(count), twin.naive.stream(count)};
        if (tree.places.empty()) continue;
        SCOPED_TRACE(tree.twin.made);
        tree.type = abi::State::here()->add(tree.twin.type, true);
        body(tree, seed);
        MPI_Type_free(&tree.type);
    }
}

}  // namespace railyard::mpi
