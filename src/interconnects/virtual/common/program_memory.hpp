#pragma once
/// The memory that a program gives to its tagged port: in no region, so it is given names as if it
/// were. A buffer is part of what was given before, or it begins something new, or it makes that
/// larger. Pages are counted from where that begins, and what is smaller than one lies side by side
/// with others as they come. So what is named, and in which order, follows from the program's use
/// of its buffers and not from where they happen to lie.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "interconnects/virtual/common/network.hpp"
#include "interconnects/virtual/common/wire.hpp"

namespace railyard::virtual_time {

class ProgramMemory {
  public:
    /// What an address of 32 bits reaches, with room to spare; beyond it, what was not used for the
    /// longest time is forgotten.
    static constexpr Bytes capacity{std::uint64_t{2} << 30};

    explicit ProgramMemory(NicState& nic) : nic_(nic) {}

    Extent name(std::span<const std::byte> buffer);

  private:
    struct Stretch {
        Bytes size;
        std::uint64_t region = 0;
        bool shares_pages = false;
        std::uint64_t used = 0;
    };
    using Stretches = std::map<const std::byte*, Stretch>;
    Stretches::iterator find(const std::byte* begin);
    Stretches::iterator add(const std::byte* begin, const std::byte* end);
    void forget_beyond_capacity(const Stretch& newest);
    static Extent extent_of(const Stretch& stretch, Bytes offset, Bytes length);

    NicState& nic_;
    Stretches stretches_;  ///< by where they begin; none overlap
    Bytes named_;
    std::uint64_t uses_ = 0;
};

}  // namespace railyard::virtual_time
