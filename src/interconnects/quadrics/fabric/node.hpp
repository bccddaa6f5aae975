#pragma once
/// A node's adapter as the fabric uses it: DMAs that its process or the adapter itself starts,
/// events that tell of them, completions that the process can find, and the threads of its tagged
/// ports. The fabric waits for nothing, so of Elan3lib it uses the command port alone.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/lazy_queue.hpp"
#include "interconnects/quadrics/elan/machine.hpp"
#include "interconnects/quadrics/elan3/command_port.hpp"
#include "interconnects/quadrics/fabric/matching_thread.hpp"
#include "interconnects/quadrics/fabric/memory_map.hpp"

namespace railyard::quadrics {

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
    /// calls.
    void show(std::uint32_t nic, Duration after, sim::Action visible);
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
