#pragma once
/// Memory for the messages of a rank, allocated once: where a buffer is depends on the program
/// alone, as far as one run can be like another.

#include <cstddef>
#include <cstring>
#include <memory>

#include "mpi/programs/layout.hpp"
#include "mpi/programs/world.hpp"

namespace railyard::mpi::programs {

class Arena {
  public:
    explicit Arena(std::size_t size)
        : memory_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

    /// What a buffer of so many bytes takes.
    static std::size_t rounded(std::size_t bytes) { return (bytes / 64 + 1) * 64; }

    /// Untouched bytes; never null.
    std::byte* take(std::size_t bytes) {
        std::byte* const at = memory_.get() + used_;
        used_ += rounded(bytes);
        require(used_ <= size_, "the arena is too small");
        std::memset(at, static_cast<int>(Layout::untouched), rounded(bytes));
        return at;
    }
    void clear() { used_ = 0; }

  private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t size_;
    std::size_t used_ = 0;
};

}  // namespace railyard::mpi::programs
