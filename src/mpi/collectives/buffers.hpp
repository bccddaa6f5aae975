#pragma once
/// Users' data as collectives handle them: parts of buffers, blocks for every rank, MPI_IN_PLACE,
/// and the copies that a rank makes by itself.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mpi/collectives/team.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/integers.hpp"

namespace railyard::mpi {

/// MPI_IN_PLACE: passed in place of a buffer whose data are, or shall be, in the call's other one.
/// The address is that of MPI_IN_PLACE in the ABI, and of nothing else.
inline Buffer in_place() {
    return {reinterpret_cast<void*>(~std::uintptr_t{0}), 0, nullptr};
}

inline bool is_in_place(const ConstBuffer& buffer) {
    return buffer.address == in_place().address;
}

/// Bytes of data, without gaps.
inline std::size_t bytes_of(const ConstBuffer& buffer) {
    return buffer.count == 0 ? 0 : buffer.count * buffer.type->size();
}

/// Counted as an integer, as the address may be MPI_BOTTOM.
inline void* moved(const void* address, std::ptrdiff_t by) {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) +
                                   static_cast<std::uintptr_t>(by));
}

/// `count` elements from number `first` on.
inline Buffer part(const Buffer& buffer, std::size_t first, std::size_t count) {
    const auto offset = static_cast<std::ptrdiff_t>(first) * buffer.type->extent();
    return {moved(buffer.address, offset), count, buffer.type};
}
inline ConstBuffer part(const ConstBuffer& buffer, std::size_t first, std::size_t count) {
    return part(Buffer{const_cast<void*>(buffer.address), buffer.count, buffer.type}, first, count);
}

/// A vector cut into as many parts as there are ranks; the first ones may have one element more.
class EvenCut {
  public:
    EvenCut(std::size_t count, int ranks)
        : each_(count / static_cast<std::size_t>(ranks)),
          longer_(count % static_cast<std::size_t>(ranks)) {}

    template <class Any>
    Any of(const Any& vector, int rank) const {
        const auto n = static_cast<std::size_t>(rank);
        return part(vector, n * each_ + std::min(n, longer_), each_ + (n < longer_ ? 1 : 0));
    }

  private:
    std::size_t each_;
    std::size_t longer_;
};

/// Plain bytes, as a message of them.
inline Buffer as_buffer(std::span<std::byte> bytes) {
    return {bytes.data(), bytes.size(), predefined(Basic::byte).get()};
}
inline ConstBuffer as_buffer(std::span<const std::byte> bytes) {
    return {bytes.data(), bytes.size(), *predefined(Basic::byte)};
}
/// A message of nothing, where only its coming matters.
inline Buffer nothing() {
    return as_buffer(std::span<std::byte>());
}

/// Moves the bytes that both have, from one layout to the other. They do not overlap, or are the
/// same.
void move_data(const ConstBuffer& from, const Buffer& to);
/// The same, at once or when the team does it; whoever calls charges for it.
void place(Team& team, const ConstBuffer& from, const Buffer& to);

/// The data in one row, as they are sent; `out` and `in` have just that size.
void pack(Team& team, const ConstBuffer& from, std::span<std::byte> out);
void unpack(Team& team, std::span<const std::byte> in, const Buffer& to);

/// Both have as many bytes of data, perhaps in different types; they do not overlap, or are the
/// same. If one has more, the ranks disagree, and no more is copied than both have.
void copy(Team& team, const ConstBuffer& from, const Buffer& to);

/// One block of data for each rank, as MPI lays them out: even, by counts and displacements, or
/// each with a type of its own. Refers to the user's arrays.
class Blocks {
  public:
    /// Even: a block for each rank, one after the other, all like the first.
    explicit Blocks(const Buffer& first)
        : kind_(Kind::even), address_(first.address), count_(first.count), type_(first.type) {}
    /// Displacements in extents of the type.
    Blocks(void* address, Integers counts, Integers displacements, const Datatype& type)
        : kind_(Kind::uneven),
          address_(address),
          type_(&type),
          counts_(counts),
          displacements_(displacements) {}
    /// Displacements in bytes.
    Blocks(void* address, Integers counts, Integers displacements, const Datatype* const* types)
        : kind_(Kind::typed),
          address_(address),
          counts_(counts),
          displacements_(displacements),
          types_(types) {}

    static Blocks in_place();
    bool is_in_place() const;

    bool is_even() const { return kind_ == Kind::even; }
    /// Of even ones, `count` blocks from number `first` on, as one.
    Buffer range(int first, int count) const {
        const auto each = static_cast<std::ptrdiff_t>(count_) * type_->extent();
        return {moved(address_, first * each), count_ * static_cast<std::size_t>(count), type_};
    }

    Buffer operator[](int rank) const;

  private:
    enum class Kind : std::uint8_t { even, uneven, typed };

    Kind kind_;
    void* address_;
    std::size_t count_ = 0;
    const Datatype* type_ = nullptr;
    Integers counts_;
    Integers displacements_;
    const Datatype* const* types_ = nullptr;
};

/// Blocks that are only read.
class ConstBlocks {
  public:
    ConstBlocks(const Blocks& blocks) : blocks_(blocks) {}  // NOLINT: as a pointer to const
    explicit ConstBlocks(const ConstBuffer& first)
        : blocks_(Buffer{const_cast<void*>(first.address), first.count, first.type}) {}
    ConstBlocks(const void* address, Integers counts, Integers displacements, const Datatype& type)
        : blocks_(const_cast<void*>(address), counts, displacements, type) {}
    ConstBlocks(const void* address, Integers counts, Integers displacements,
                const Datatype* const* types)
        : blocks_(const_cast<void*>(address), counts, displacements, types) {}

    bool is_in_place() const { return blocks_.is_in_place(); }
    bool is_even() const { return blocks_.is_even(); }
    ConstBuffer range(int first, int count) const { return blocks_.range(first, count); }
    ConstBuffer operator[](int rank) const { return blocks_[rank]; }

  private:
    Blocks blocks_;
};

}  // namespace railyard::mpi
