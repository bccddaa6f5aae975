#pragma once
/// The heap of one rank's program. Where its pieces lie, from where it begins, follows from what
/// the rank asked for and gave back, and from nothing else: what a model says of buffers must not
/// depend on what other ranks do.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace railyard::executables {

class Heap {
  public:
    static constexpr std::size_t page = 4096;

    /// Reserves so many bytes of addresses, or less if there are not so many; memory is taken as it
    /// is used. Throws Error.
    explicit Heap(std::size_t wanted);
    ~Heap();
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    bool owns(const void* memory) const {
        const auto* const at = static_cast<const std::byte*>(memory);
        return begin_ <= at && at < begin_ + reserved_;
    }

    /// Null: there is no room. The alignment is a power of two.
    void* allocate(std::size_t bytes, std::size_t alignment = 16);
    /// Zeroed.
    void* allocate_clear(std::size_t bytes);
    void free(void* memory);
    /// How many bytes may be used of a piece; at least as many as were asked for.
    std::size_t usable(const void* memory) const;

  private:
    /// In front of each piece that is used.
    struct alignas(16) Header {
        std::uint64_t block;  ///< where the block begins, from the heap's beginning
        std::uint64_t size;   ///< the block's
    };
    static constexpr std::size_t small_step = 32;
    static constexpr std::size_t small_limit = 1024;
    static constexpr std::size_t give_back = 1 << 20;  ///< free blocks so large hold no memory

    using Offset = std::uint64_t;

    static Header& header_of(const void* memory) {
        return *(static_cast<Header*>(const_cast<void*>(memory)) - 1);
    }
    /// A block of that size, which is a multiple of the step; false: no room.
    bool take(std::size_t size, Offset& block);
    void put_back(Offset block, std::size_t size);

    std::byte* begin_ = nullptr;
    std::size_t reserved_ = 0;
    Offset top_ = 0;    ///< no block has been made from here on
    Offset clean_ = 0;  ///< nothing was ever written from here on
    /// Small blocks that are free, as lists through themselves; 0 ends a list, being nobody's.
    std::array<Offset, small_limit / small_step + 1> small_{};
    std::map<Offset, std::size_t> large_;  ///< free blocks by place, none beside another
    std::set<std::pair<std::size_t, Offset>> by_size_;
};

}  // namespace railyard::executables
