#pragma once
/// A user's array of counts or displacements: of int, or of 64 bits as in MPI's large-count calls.
/// It stays where it is; nothing is copied.

#include <concepts>
#include <cstdint>

namespace railyard::mpi {

class Integers {
  public:
    Integers() = default;
    Integers(const int* values) : narrow_(values) {}         // NOLINT: an array as it is
    Integers(const std::int64_t* values) : wide_(values) {}  // NOLINT

    bool is_null() const { return narrow_ == nullptr && wide_ == nullptr; }
    std::int64_t operator[](std::integral auto i) const {
        return wide_ != nullptr ? wide_[i] : narrow_[i];
    }

  private:
    const int* narrow_ = nullptr;
    const std::int64_t* wide_ = nullptr;
};

}  // namespace railyard::mpi
