#pragma once
/// Memory that a collective needs for the length of one call: on the stack while it is small, else
/// a block of its team's pool. Its size is given first, and parts are then taken of it.

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "mpi/collectives/scratch_pool.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

class Scratch {
  public:
    /// What bytes() or elements() will take of it.
    static std::size_t room(std::size_t bytes);
    static std::size_t room(std::size_t count, const Datatype& type);

    /// The pool outlives it.
    Scratch(ScratchPool& pool, std::size_t room);
    ~Scratch() {
        if (large_.memory) pool_.give_back(std::move(large_));
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    std::span<std::byte> bytes(std::size_t size);
    /// Room for elements as their type lays them out, gaps and all, aligned as the user's are.
    Buffer elements(std::size_t count, const Datatype& type);

  private:
    static constexpr std::size_t alignment = alignof(std::max_align_t);

    alignas(std::max_align_t) std::array<std::byte, 4096> small_;
    ScratchPool& pool_;
    ScratchPool::Block large_;
    std::byte* next_ = nullptr;
};

}  // namespace railyard::mpi
