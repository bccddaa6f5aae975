#pragma once
/// Keys by which peers write to regions without help of the owner. One that has ended leads to
/// memory that nobody reads: what a peer sends before it knows of the end must not reach the
/// user's, and would end the connection if nobody took it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "interconnects/real/ofi/module/device.hpp"

namespace railyard::ofi {

class Grants {
  public:
    explicit Grants(Device& device) : device_(device) {}
    Grants(const Grants&) = delete;
    Grants& operator=(const Grants&) = delete;
    ~Grants();

    struct Grant {
        Owned<fid_mr> registered;
        std::uint64_t key = 0;  ///< 0: none
    };
    /// Throws Error.
    Grant grant(std::span<std::byte> memory, std::uint64_t key);
    /// Nothing that comes from now on reaches the memory.
    void revoke(Grant& grant, std::size_t size);

  private:
    struct Ended {
        Owned<fid_mr> registered;
        std::byte* sink;
        std::size_t size;
    };
    void forget_oldest();

    Device& device_;
    std::deque<Ended> ended_;
};

}  // namespace railyard::ofi
