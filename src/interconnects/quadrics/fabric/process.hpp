#pragma once
/// A process in its adapter as the fabric uses it, with a context of its own (CX-1): DMAs that it
/// or the adapter itself starts, events that tell of them, and completions that it can find. The
/// fabric waits for nothing, so of Elan3lib it uses the command port alone.

#include <cstdint>
#include <functional>
#include <vector>

#include "base/lazy_queue.hpp"
#include "interconnects/quadrics/elan/context.hpp"
#include "interconnects/quadrics/elan/machine.hpp"
#include "interconnects/quadrics/elan3/process.hpp"
#include "interconnects/quadrics/fabric/memory_map.hpp"

namespace railyard::quadrics {

class Process {
  public:
    Process(elan::Machine& machine, const elan::Job& job, elan::Vpid self);

    /// An event that tells of so many sets; given back, it may serve another.
    elan::Address take_event(std::uint32_t sets, std::function<void(Status)> listener);
    void give_back_event(elan::Address event);
    /// A block of Elan memory, for a descriptor.
    elan::Address take_block();
    void give_back_block(elan::Address block) { blocks_.push_back(block); }

    /// Steps 1 and 2, of the process: the block takes the descriptor.
    void command(const elan::Descriptor& descriptor, elan::Address block);
    /// The adapter itself starts one.
    void start(const elan::Descriptor& descriptor);
    /// A completion is copied to main memory, after a while; in the order of the calls.
    void show(Duration after, elan::Step step, sim::Action visible);
    /// One that the process sees by the data that came; it waits for those before it only.
    void show_with_data(sim::Action visible);

    MemoryMap& memory() { return memory_; }
    void stop() { completions_ = {}; }

  private:
    struct Completion {
        sim::Action visible;
        bool with_data = false;
    };
    void show_next();
    elan::Address completion_event();

    elan::Adapter& adapter_;
    elan::Context& context_;
    const elan3::CommandPort port_;
    MemoryMap memory_;
    std::vector<elan::Address> events_;  ///< free
    std::vector<elan::Address> blocks_;  ///< free
    elan::Address completion_event_ = elan::null_address;
    LazyQueue<Completion> completions_;
};

}  // namespace railyard::quadrics
