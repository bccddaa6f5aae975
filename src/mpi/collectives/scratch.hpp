#pragma once
/// Memory that a collective needs for the length of one call: on the stack while it is small, else
/// a block of its team's pool. Its size is given first, and parts are then taken of it.

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

/// Blocks of memory that collectives of one communicator use again and again. Fabrics that must
/// register memory then know it already; and in virtual time, what is known must follow from the
/// program, not from where an allocator happens to put things.
class ScratchPool {
  public:
    ScratchPool() = default;
    /// Of a lasting one, blocks outlive the Scratch that took them, until reclaim(): algorithms
    /// that are only recorded use them later.
    explicit ScratchPool(bool lasting) : lasting_(lasting) {}

    struct Free {
        void operator()(std::byte* p) const;
    };
    struct Block {
        std::unique_ptr<std::byte, Free> memory;
        std::size_t size = 0;
    };

    /// The smallest that was given back and holds that much, or a new one; on a page of its own.
    Block take(std::size_t size);
    /// Larger blocks than `largest_kept` go back to the system.
    void give_back(Block block);
    /// Of a lasting one: nobody uses any more what was taken so far.
    void reclaim();
    bool is_lasting() const { return lasting_; }

    static constexpr std::size_t largest_kept = std::size_t{16} << 20;

  private:
    void put(Block block);

    std::vector<Block> free_;  ///< smallest first
    std::vector<Block> held_;  ///< of a lasting one: still to be used
    bool lasting_ = false;
};

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
