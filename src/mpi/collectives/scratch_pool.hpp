#pragma once
/// Blocks of memory that collectives of one communicator use again and again. Fabrics that must
/// register memory then know it already; and in virtual time, what is known must follow from the
/// program, not from where an allocator happens to put things.

#include <cstddef>
#include <memory>
#include <vector>

namespace railyard::mpi {

class ScratchPool {
  public:
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

    static constexpr std::size_t largest_kept = std::size_t{16} << 20;

  private:
    std::vector<Block> free_;  ///< smallest first
};

}  // namespace railyard::mpi
