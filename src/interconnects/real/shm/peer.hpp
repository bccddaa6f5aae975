#pragma once
/// Another Nic of this host, once met: its arena, its bell, whether it still lives, and how its
/// user's own memory can be reached.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "hosts/bell.hpp"
#include "interconnects/real/shm/arena.hpp"
#include "railyard/base/status.hpp"

struct iovec;

namespace railyard::shm {

/// Ways to reach memory that a peer's user brought.
enum class Reach : std::uint8_t {
    direct,      ///< same process (ranks as threads): plain copies
    process_vm,  ///< the kernel copies between the two address spaces
    bounce,      ///< neither: the peer copies, through shared memory
};
/// What RAILYARD_SHM_USER_MEMORY may ask for.
enum class ReachPolicy : std::uint8_t { automatic, process_vm, bounce };
ReachPolicy reach_policy_from_environment();

class Peer {
  public:
    /// Maps the arena. Throws Error when its owner is gone.
    Peer(const SharedMemory::Handle& handle, ReachPolicy policy);
    ~Peer();
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    Arena& arena() const { return *arena_; }
    const SharedMemory::Handle& handle() const { return memory_.handle(); }
    Reach reach() const { return reach_; }

    /// Says that the connection with that block of the peer's has news, and wakes the peer.
    void notify(std::uint32_t block) const {
        arena_->activity.raise(block);
        bell_.ring_if_asleep();
    }
    [[gnu::always_inline]] void wake() const { bell_.ring_if_asleep(); }

    /// Asks the kernel; remembers a death. A thread of this process cannot die alone.
    bool gone();
    bool can_die() const { return pidfd_ >= 0; }
    bool known_gone() const { return gone_; }

    /// Copies between local pieces and `address` in the peer's address space; not for `bounce`.
    /// A write's last byte becomes visible after all others.
    Code read(std::uint64_t address, std::span<const iovec> local, std::uint64_t length) const;
    Code write(std::uint64_t address, std::span<const iovec> local, std::uint64_t length) const;
    /// The same without that order: one call of the kernel's in place of two.
    Code write_unordered(std::uint64_t address, std::span<const iovec> local,
                         std::uint64_t length) const;

  private:
    Reach find_reach(ReachPolicy policy) const;
    /// Reads a few bytes through the file that the kernel makes of the peer's memory: there it
    /// finds and checks the peer once, when it is opened, and not at every copy. False: that did
    /// not work. Writes do not go that way: it would write to pages that the peer itself may not.
    bool reads_few(std::uint64_t address, std::span<const iovec> local, std::uint64_t length) const;
    int memory_file() const;

    SharedMemory memory_;
    Arena* arena_;
    hosts::RemoteBell bell_;
    int pidfd_ = -1;
    Reach reach_ = Reach::bounce;
    bool gone_ = false;
    static constexpr int unopened = -2;
    mutable int memory_file_ = unopened;  ///< -1: it cannot be opened
};

}  // namespace railyard::shm
