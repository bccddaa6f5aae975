#pragma once
/// One block of data for each rank, as MPI lays them out: even, by counts and displacements, or
/// each with a type of its own. Refers to the user's arrays.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpi/collectives/local.hpp"
#include "mpi/types/buffer.hpp"

namespace railyard::mpi {

/// A user's array of counts or displacements: of int, or of 64 bits as in MPI's large-count calls.
class Integers {
  public:
    Integers() = default;
    Integers(const int* values) : narrow_(values) {}         // NOLINT: an array as it is
    Integers(const std::int64_t* values) : wide_(values) {}  // NOLINT

    std::int64_t operator[](int i) const { return wide_ ? wide_[i] : narrow_[i]; }

  private:
    const int* narrow_ = nullptr;
    const std::int64_t* wide_ = nullptr;
};

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
