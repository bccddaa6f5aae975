#pragma once
/// Where the elements of a message are in memory, said twice: as a datatype of MPI, and as plain
/// offsets, with which bytes are put there and looked at.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace railyard::mpi::programs {

/// Made by different constructors.
enum class Shape : std::uint8_t { dense, contiguous, vector, indexed, record, spread };
constexpr int shape_count = 6;

class Layout {
  public:
    /// `base`: 0 bytes, 1 ints, 2 doubles.
    Layout(Shape shape, int base);

    /// Elements in one of the type.
    std::size_t elements() const { return offsets_.size(); }
    std::size_t element_size() const { return element_size_; }
    /// Bytes that so many elements (a multiple of elements()) reach over.
    std::size_t span_of(std::size_t count) const;
    /// A handle that the caller frees by done().
    MPI_Datatype make() const;
    static void done(MPI_Datatype& type);

    /// Puts `count` elements of the pattern there.
    void fill(std::byte* at, std::size_t count, std::uint64_t pattern) const;
    /// Whether they are there.
    bool holds(const std::byte* at, std::size_t count, std::uint64_t pattern) const;
    /// Whether nothing else was touched, from the so-manieth element on, and in the gaps.
    bool is_clean(const std::byte* at, std::size_t filled, std::size_t count) const;

    static constexpr std::byte untouched{0xa5};

  private:
    std::byte* place(std::byte* at, std::size_t i) const {
        return at + i / elements() * extent_ + offsets_[i % elements()];
    }
    const std::byte* place(const std::byte* at, std::size_t i) const {
        return at + i / elements() * extent_ + offsets_[i % elements()];
    }

    Shape shape_;
    int base_;
    std::size_t element_size_;
    std::vector<std::size_t> offsets_;
    std::size_t extent_;
};

/// The i-th byte of a pattern, which no other pattern is likely to have there.
std::byte pattern_byte(std::uint64_t pattern, std::size_t i);

}  // namespace railyard::mpi::programs
