#pragma once
/// Memory with elements of a type in it, as a user has them, with all that lies between them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/types/buffer.hpp"
#include "mpi/types/datatype.hpp"

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

}  // namespace railyard::mpi
