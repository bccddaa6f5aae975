#pragma once
/// The part of Elan3lib that waits for nothing: events and input queues in Elan memory, and
/// commands that are written to the adapter's port. For processes that are fibers (Process) and for
/// software that runs in events of the engine.

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "interconnects/quadrics/elan/adapter.hpp"

namespace railyard::elan3 {

class CommandPort {
  public:
    /// Adapter and context must be there for as long as the engine runs.
    CommandPort(elan::Adapter& adapter, elan::Context& context)
        : adapter_(adapter), context_(context) {}

    elan::Adapter& adapter() const { return adapter_; }
    elan::Context& context() const { return context_; }

    /// A new event, in Elan memory of its own.
    elan::Address make_event(elan::EventState&& state) const {
        const elan::Address event = context_.space.allocate(elan::Home::sdram, elan::block_size);
        add_event(event, std::move(state));
        return event;
    }
    /// The same in a block of Elan memory that the caller has allocated.
    void add_event(elan::Address event, elan::EventState&& state) const {
        context_.space.bind(event);
        context_.events.emplace(event, std::move(state));
    }
    /// Makes the input queue with that number; its event is set for each message.
    void make_queue(std::uint32_t number, elan::Address event) const {
        elan::InputQueue& queue = context_.queues[number];
        queue.slots = adapter_.chip().parameters.queue_slots;
        queue.event = event;
    }
    /// Writes a descriptor into Elan memory: the bytes alone, without the time that it takes.
    void store(elan::Address block, const elan::Descriptor& descriptor) const {
        std::array<std::byte, sizeof(elan::Descriptor)> bytes;
        std::memcpy(bytes.data(), &descriptor, sizeof descriptor);
        context_.space.store(block, bytes);
    }
    /// A write to the port is posted: it crosses the bus while the processor goes on. Whoever
    /// posted it may be gone when it arrives.
    void command(const elan::Command& command, elan::DmaId id = 0) const {
        adapter_.chip().path.host_access(Bytes(8), false,
                                         [&adapter = adapter_, &context = context_, command, id] {
                                             adapter.commands().command(context, command, id);
                                         });
    }

  private:
    elan::Adapter& adapter_;
    elan::Context& context_;
};

}  // namespace railyard::elan3
