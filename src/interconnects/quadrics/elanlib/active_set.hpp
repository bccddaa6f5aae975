#pragma once
/// What some processes of a job do together, as Cray's Shmem names them: from a first one, every
/// so-manyth, so many. Where they are neighbours on neighbouring nodes, the network's broadcast
/// serves them; else a tree of four children a process, of remote events and DMAs.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "interconnects/quadrics/elanlib/shmem.hpp"

namespace railyard::elanlib {

struct ActiveSet {
    elan3::Vpid start = 0;
    unsigned log_stride = 0;
    elan3::Vpid size = 0;

    elan3::Vpid pe(elan3::Vpid index) const { return start + (index << log_stride); }
    std::optional<elan3::Vpid> index(elan3::Vpid pe) const;
};

/// What a set needs at the same address in all processes; in Cray's Shmem the arrays pSync and
/// pWrk. Two sets with a process in common, or two broadcasts of different roots with no barrier
/// between them, need one each.
struct Sync {
    elan3::Address come = elan::null_address;  ///< in Elan memory: 1 if this process has come
    elan3::Event go;                           ///< all have come
    elan3::Event up;                           ///< those below have come; counts until it is primed
    elan3::Event data;                         ///< what was broadcast is here
    elan3::Address lengths = elan::null_address;  ///< a word each process
    elan3::Address work = elan::null_address;     ///< five slots, in main memory
    std::uint32_t slot = 0;                       ///< bytes of one
};

class ActiveSets {
  public:
    using Address = elan3::Address;
    using Vpid = elan3::Vpid;

    /// Collective, as Shmem.
    explicit ActiveSets(Shmem& shmem);

    /// Collective of all processes, not of a set. A reduction goes on in pieces of `slot` bytes.
    Sync make_sync(std::uint32_t slot = 4096);
    ActiveSet all() const { return {0, 0, shmem_.num_pes()}; }

    /// All that these processes had started is done before any goes on.
    Status barrier(const ActiveSet& set, const Sync& sync);
    Status barrier_all() { return barrier(all(), sync_); }

    // The symmetric heap as Cray's calls have it, with barriers of all processes: none goes on
    // before all have the memory, or gives it back while another may still write there. That one
    // of them failed, quiet() tells.
    Address allocate(std::uint32_t size, elan3::Home home = elan3::Home::main);
    void release(Address address);
    Address resize(Address address, std::uint32_t size);

    /// From the root's source to the target of all others; the root is an index of the set. The
    /// targets must be theirs to write: a barrier before it makes them so.
    Status broadcast(const ActiveSet& set, Vpid root, Address target, Address source,
                     std::uint32_t size, const Sync& sync);
    /// Everyone's block, one behind the other in the order of the set, in everyone's target. All
    /// blocks are of that size.
    Status fcollect(const ActiveSet& set, Address target, Address source, std::uint32_t size,
                    const Sync& sync);
    /// Likewise, of whatever size each has.
    Status collect(const ActiveSet& set, Address target, Address source, std::uint32_t size,
                   const Sync& sync);

    /// Whether the switches serve that set.
    bool is_range(const ActiveSet& set) const;

    /// Merges so many bytes of what came into what is there.
    using Merge = std::function<void(std::span<std::byte> into, std::span<const std::byte> from)>;
    /// Of everyone's source, in the order of the tree and so always the same; for all. `size` is a
    /// multiple of the element that `merge` knows, and so is the slot. reduction.hpp has the
    /// operations by name.
    Status reduce(const ActiveSet& set, Address target, Address source, std::uint32_t size,
                  const Sync& sync, const Merge& merge);

  private:
    /// What the thread of the first process is asked to do.
    struct Barrier {
        Vpid first = 0;
        Vpid last = 0;
        Address come = elan::null_address;
        Address go = elan::null_address;
    };
    using Barriers = std::deque<Barrier>;

    Vpid index_in(const ActiveSet& set) const;
    Status take(const elan3::Event& event);
    Status barrier_by_switches(const ActiveSet& set, const Sync& sync);
    Status barrier_by_tree(const ActiveSet& set, const Sync& sync);
    Status broadcast_by_switches(const ActiveSet& set, Vpid root, Address target, Address source,
                                 std::uint32_t size, const Sync& sync);
    Status broadcast_by_tree(const ActiveSet& set, Vpid root, Address target, Address source,
                             std::uint32_t size, const Sync& sync);
    Status gather(const ActiveSet& set, Address at, Address source, std::uint32_t size,
                  const Sync& sync);
    Status reduce_piece(const ActiveSet& set, Address target, Address source, std::uint32_t size,
                        const Sync& sync, const Merge& merge);
    static void serve(elan::Thread& thread, Barriers& barriers, Address begin, Address sent,
                      Address zero);

    Shmem& shmem_;
    elan3::Process& process_;
    const elan3::Event begin_;  ///< this process' thread is to ask the others
    const elan3::Event sent_;
    const std::shared_ptr<Barriers> barriers_;
    const Sync sync_;
};

}  // namespace railyard::elanlib
