#pragma once
/// A node's adapter as the fabric uses it: DMAs that its process or the adapter itself starts,
/// events that tell of them, completions that the process can find, and the threads of its tagged
/// ports. The fabric waits for nothing, so of Elan3lib it uses the command port alone.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/lazy_queue.hpp"
#include "interconnects/quadrics/elan/context.hpp"
#include "interconnects/quadrics/elan/machine.hpp"
#include "interconnects/quadrics/elan3/process.hpp"
#include "interconnects/virtual/common/wire.hpp"

namespace railyard::quadrics {

/// Where the memory of a node's Nics lies in its adapter's address space. Railyard moves the bytes
/// itself when the machine says that they have arrived, so of these pages only the timing counts:
/// which of the two memories they are in, when they are bound, what the adapter's translation
/// buffer knows of them.
class MemoryMap {
  public:
    explicit MemoryMap(elan::AddressSpace& space) : space_(space) {}

    /// A region of one of the node's Nics, in which a DMA may be under way.
    class Use {
      public:
        std::uint32_t nic = 0;
        std::uint64_t region = 0;
    };
    /// Of an extent of that Nic's; the region stays mapped until let_go().
    elan::Address take(const Use& use, const virtual_time::Extent& extent);
    void let_go(const Use& use);
    /// The region is gone; its pages go when the last DMA has done with them.
    void forget(const Use& use);

    /// Main memory for data whose place nobody has said: of no region, or known only when the
    /// message has been judged.
    elan::Address somewhere(Bytes size);

  private:
    struct Region {
        elan::Address address = elan::null_address;
        std::uint32_t size = 0;
        unsigned uses = 0;
        bool forgotten = false;
    };
    struct Hash {
        std::size_t operator()(const std::pair<std::uint32_t, std::uint64_t>& key) const {
            return (std::size_t{key.first} << 48 ^ key.second) * 0x9e3779b97f4a7c15u;
        }
    };
    struct Zone {
        std::uint64_t size = 0;
        elan::Address address = elan::null_address;
    };
    using Regions = std::unordered_map<std::pair<std::uint32_t, std::uint64_t>, Region, Hash>;
    void drop(Regions::iterator region);

    elan::AddressSpace& space_;
    Regions regions_;          ///< by Nic and number; looked up only
    std::vector<Zone> zones_;  ///< from small to large, each four times as large as the one before
};

/// The thread of a tagged port on a node's thread processor: takes envelopes out of the port's
/// input queue, is busy with matching for as long as that takes, and writes what came with an
/// envelope to its place, one after the other. What matches what is not its business but that of
/// virtual/.
class MatchingThread {
  public:
    /// `taken` is told of each envelope, by the number that its sender wrote into it.
    MatchingThread(elan::Adapter& adapter, elan::Context& context, MemoryMap& memory,
                   std::uint32_t queue, std::function<void(std::uint64_t)> taken);

    /// Of an envelope that was taken; `matched` runs when that has been done.
    void match(Duration work, sim::Action matched);
    /// Of a receive that the process has posted, of which a command tells the thread.
    void match_receive(Duration work, sim::Action matched);
    /// Within `matched`: so many bytes that came with the envelope go to memory. The thread waits.
    void write(Bytes size, sim::Action placed);
    /// Drops all actions that are held here.
    void stop();

  private:
    struct Job {
        Duration work;
        sim::Action matched;
        bool ready = false;
    };
    struct Write {
        sim::Action placed;
    };

    void wake();
    void go_on();
    bool take_envelope();
    void written(const std::shared_ptr<Write>& write);

    elan::Adapter& adapter_;
    elan::Context& context_;
    MemoryMap& memory_;
    const std::uint32_t queue_;
    std::function<void(std::uint64_t)> taken_;
    std::deque<std::shared_ptr<Job>> jobs_;
    std::deque<std::shared_ptr<Write>> writes_;  ///< under way
    bool awake_ = false;
    bool computing_ = false;
};

class Node {
  public:
    Node(elan::Machine& machine, const elan::Job& job, fabric::NodeId id);

    /// An event that tells of so many sets; given back, it may serve another.
    elan::Address take_event(std::uint32_t sets, std::function<void(Status)> listener);
    void give_back_event(elan::Address event);
    /// A packet's worth of Elan memory, for a descriptor or an envelope.
    elan::Address take_block();
    void give_back_block(elan::Address block) { blocks_.push_back(block); }
    void store(elan::Address block, std::span<const std::byte> bytes);

    /// Steps 1 and 2, of the process: the block takes the descriptor.
    void command(const elan::Descriptor& descriptor, elan::Address block);
    /// The adapter itself starts one.
    void start(const elan::Descriptor& descriptor);
    /// A completion for that Nic is copied to main memory, after a while; in the order of the
    /// calls. In the trace, it is what follows that step; a completion may be of many DMAs.
    void show(std::uint32_t nic, Duration after, elan::Step event, sim::Action visible);
    /// One that the process sees by the data that came; it waits for those before it only.
    void show_with_data(std::uint32_t nic, sim::Action visible);

    MatchingThread& thread(std::uint32_t nic);
    MemoryMap& memory() { return memory_; }
    elan::Adapter& adapter() { return adapter_; }
    /// Envelopes that its threads take; set before the first comes.
    std::function<void(std::uint64_t)> on_envelope;

    void stop();

  private:
    struct Completion {
        sim::Action visible;
        bool with_data = false;
    };
    struct Completions {
        elan::Address event = elan::null_address;
        LazyQueue<Completion> all;
    };
    static void show_next(Completions& completions);
    Completions& completions(std::uint32_t nic);

    elan::Adapter& adapter_;
    elan::Context& context_;
    const elan3::CommandPort port_;
    MemoryMap memory_;
    std::vector<elan::Address> events_;                      ///< free
    std::vector<elan::Address> blocks_;                      ///< free
    std::vector<std::unique_ptr<Completions>> completions_;  ///< by Nic
    std::vector<std::unique_ptr<MatchingThread>> threads_;   ///< by Nic
};

}  // namespace railyard::quadrics
