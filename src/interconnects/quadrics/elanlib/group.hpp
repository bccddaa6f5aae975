#pragma once
/// All processes of a job together: barrier and broadcast, by the network's own broadcast or by a
/// tree of messages.

#include <cstdint>
#include <optional>
#include <vector>

#include "interconnects/quadrics/elan3/process.hpp"

namespace railyard::elanlib {

enum class Way : std::uint8_t {
    /// One packet that the switches copy. A barrier is a test that all must pass, and an event for
    /// all. The nodes of the job must be a range (BC-3).
    hardware,
    /// Each process serves four others, from one end of the job to the other.
    tree,
};

class Group {
  public:
    using Address = elan3::Address;
    using Vpid = elan3::Vpid;

    static constexpr Vpid arity = 4;  ///< of the tree: that of the switches
    /// Of that place in a tree of so many.
    static Vpid children_of(Vpid place, Vpid processes);

    /// Collective: every process makes one, before any uses it, and after the same allocations.
    explicit Group(elan3::Process& process);

    Status barrier(Way way);
    /// The same by the switches, for those who do not wait: nothing until all have come.
    void start_barrier();
    std::optional<Status> test_barrier();
    /// From the root's memory to the same address in all others. When it returns, the buffer holds
    /// the data, and the root may use it again. By the tree, nothing is written to a process before
    /// it has come to this broadcast, so its buffer is its own until then. By the switches, the
    /// next broadcast may come at any time: a barrier keeps it away from those that still read, and
    /// those of different roots apart.
    Status broadcast(Vpid root, Address data, std::uint32_t size, Way way);

  private:
    Status hardware_barrier();
    Status tree_barrier();
    Status hardware_broadcast(Vpid root, Address data, std::uint32_t size);
    Status tree_broadcast(Vpid root, Address data, std::uint32_t size);
    void serve_barriers();
    /// Of a tree with that root; both name processes, not places in it.
    Vpid parent(Vpid root) const;
    std::vector<Vpid> children(Vpid root) const;
    Status take(const elan3::Event& event);
    void must_be_a_range() const;

    elan3::Process& process_;
    const Vpid processes_;
    // At the same addresses in all processes.
    const Address round_;        ///< in Elan memory: barriers that this process has come to
    const Address come_;         ///< in main memory: broadcasts by the tree that it has come to
    const Address others_come_;  ///< likewise, a word each: of those that this one writes to
    const elan3::Event begin_;   ///< of process 0: its thread is to ask the others
    const elan3::Event go_;      ///< all have come
    const elan3::Event up_;      ///< of the tree: all below have come
    const elan3::Event down_;    ///< of the tree: all have come
    const elan3::Event data_;    ///< a broadcast is here
    const elan3::Event sent_;
    std::uint32_t rounds_ = 0;
    std::uint32_t broadcasts_ = 0;  ///< by the tree
};

}  // namespace railyard::elanlib
