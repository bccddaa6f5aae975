#include "interconnects/quadrics/elan3/process.hpp"

#include <fmt/format.h>

#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::elan3 {

using elan::Descriptor;
using elan::Direction;
using elan::Step;

Process::Process(elan::Machine& machine, std::shared_ptr<const elan::Job> job, Vpid self)
    : machine_(machine),
      job_(std::move(job)),
      self_(self),
      adapter_(machine.adapter(job_->processes.at(self).node)),
      context_(machine.context(*job_, self)),
      port_(adapter_, context_) {
    ring_ = space().allocate(Home::sdram, descriptors * elan::block_size);
    context_.notify_host = [this] { wake(); };
    context_.interrupt_host = [this](Address event) {
        interrupted_.insert(event);
        wake();
    };
}

Process::~Process() {
    adapter_.close(context_);
}

Address Process::map(std::span<std::byte> memory) {
    return space().map(memory.data(), memory.size());
}

void Process::spend(Duration work) {
    worked_ += work;
    engine().sleep_until(now() + work);
}

void Process::sleep(const sim::Reason& reason) {
    sim::Fiber* const thread = engine().current();
    sleepers_.push_back(thread);
    engine().suspend(reason);
    std::erase(sleepers_, thread);
}

/// Each thread looks for itself whether it is its turn.
void Process::wake() {
    for (sim::Fiber* const thread : sleepers_)
        engine().resume(*thread);
}

/// The processor waits for the bus: a write that is not combined with others, or a read.
void Process::over_bus(Bytes size, bool read) {
    const Time begin = now();
    bool done = false;
    sim::Fiber* const fiber = engine().current();
    adapter_.chip().path.host_access(size, read, [this, &done, fiber] {
        done = true;
        engine().resume(*fiber);
    });
    while (!done)
        engine().suspend("the bus to the adapter");
    worked_ += now() - begin;
}

void Process::store(Address address, std::span<const std::byte> data) {
    if (!space().store(address, data))
        throw UsageError(
            fmt::format("process {}: a store of {} bytes at {:#x}, where no memory is; "
                        "allocate or map it first",
                        self_, data.size(), address));
    if (space().home_of(address) == Home::sdram) over_bus(Bytes(data.size()), false);
}

void Process::load(Address address, std::span<std::byte> data) {
    if (!space().load(address, data))
        throw UsageError(
            fmt::format("process {}: a load of {} bytes at {:#x}, where no memory is; "
                        "allocate or map it first",
                        self_, data.size(), address));
    if (space().home_of(address) == Home::sdram) over_bus(Bytes(data.size()), true);
}

Event Process::make_event(const EventOptions& options) {
    Event event;
    event.address = allocate(Home::sdram, elan::block_size);
    elan::EventState made;
    made.threshold = options.sets;
    made.chain = options.chain;
    made.rearms = options.for_thread || options.rearms;
    made.armed = options.primed;
    if (!options.for_thread) {
        event.block = allocate(Home::sdram, elan::block_size);
        event.word = allocate(Home::main, elan::block_size);
        const std::uint32_t one = 1;
        const std::uint32_t zero = 0;
        space().store(event.block, std::as_bytes(std::span(&one, 1)));
        space().store(event.word, std::as_bytes(std::span(&zero, 1)));
        made.copy = {event.block, event.word, options.block};
    }
    port_.add_event(event.address, std::move(made));
    return event;
}

void Process::forget(const Event& event) {
    context_.events.erase(event.address);
    release(event.address, elan::block_size);
    if (event.word == elan::null_address) return;
    release(event.block, elan::block_size);
    release(event.word, elan::block_size);
}

void Process::command(const elan::Command& command) {
    spend_on_command();
    port_.command(command);
}

void Process::prime(const Event& event) {
    command({elan::Command::Kind::arm, event.address, self_});
}

void Process::prime(const Event& event, std::uint32_t sets) {
    over_bus(Bytes(sizeof sets), false);
    state(event).threshold = sets;
    prime(event);
}

void Process::set(Vpid vpid, Address event) {
    command({elan::Command::Kind::set_event, event, vpid});
}

bool Process::has_fired(const Event& event) {
    std::uint32_t word = 0;
    space().load(event.word, std::as_writable_bytes(std::span(&word, 1)));
    return word != 0;
}

Status Process::take(const Event& event) {
    const std::uint32_t zero = 0;
    space().store(event.word, std::as_bytes(std::span(&zero, 1)));
    elan::EventState& fired = state(event);
    if (fired.ready > 0) --fired.ready;
    return fired.status;
}

bool Process::poll(const Event& event) {
    spend(Duration::ns(20));
    if (!has_fired(event)) return false;
    (void)take(event);
    return true;
}

Status Process::wait(const Event& event, Wait how) {
    switch (how) {
        case Wait::poll:
            while (!has_fired(event))
                sleep("the block of an event");
            spend(machine_.parameters().host.detect);
            return take(event);
        case Wait::busy:
            do
                over_bus(Bytes(8), true);
            while (state(event).ready == 0);
            break;
        case Wait::block:
            interrupted_.erase(event.address);
            command({elan::Command::Kind::interrupt, event.address, self_});
            while (!interrupted_.contains(event.address))
                sleep("an interrupt");
            break;
    }
    // Its block may still be on the way; it must not be taken for the next firing's.
    while (!has_fired(event))
        sleep("the block of an event that has fired");
    return take(event);
}

void Process::wait_for(Address word, std::uint32_t at_least) {
    wait_until([&] { return value<std::uint32_t>(word) >= at_least; });
}

void Process::wait_until(const std::function<bool()>& is_so) {
    while (!is_so())
        sleep("a word in memory");
    spend(machine_.parameters().host.detect);
}

elan::DmaId Process::start(const Descriptor& descriptor) {
    const elan::DmaId id = adapter_.dma().next_id();
    const Address slot = ring_ + next_descriptor_++ % descriptors * elan::block_size;
    adapter_.chip().note(Step::write_descriptor, id);
    port_.store(slot, descriptor);
    spend(machine_.parameters().host.descriptor);
    adapter_.chip().note(Step::give_command, id);
    spend_on_command();
    port_.command({elan::Command::Kind::run_dma, slot, self_}, id);
    return id;
}

Descriptor Process::describe(Address from, Address to, std::uint32_t size, const Notify& notify) {
    Descriptor descriptor;
    descriptor.priority = notify.priority;
    descriptor.size = size;
    descriptor.source = descriptor.destination = self_;
    descriptor.source_address = from;
    descriptor.destination_address = to;
    descriptor.source_event = notify.source;
    descriptor.destination_event = notify.destination;
    return descriptor;
}

elan::DmaId Process::put(Vpid to, Address from, Address at, std::uint32_t size,
                         const Notify& notify) {
    Descriptor descriptor = describe(from, at, size, notify);
    descriptor.destination = to;
    return start(descriptor);
}

elan::DmaId Process::get(Vpid from, Address at, Address to, std::uint32_t size,
                         const Notify& notify) {
    Descriptor descriptor = describe(at, to, size, notify);
    descriptor.direction = Direction::read;
    descriptor.source = from;
    return start(descriptor);
}

elan::DmaId Process::broadcast(Vpid first, Vpid last, Address from, Address at, std::uint32_t size,
                               const Notify& notify) {
    Descriptor descriptor = describe(from, at, size, notify);
    descriptor.broadcast = true;
    descriptor.destination = first;
    descriptor.last_destination = last;
    return start(descriptor);
}

elan::Thread& Process::start_thread(std::string name, elan::ThreadProcessor::Code code) {
    return adapter_.threads().start(context_, std::move(name), std::move(code));
}

}  // namespace railyard::elan3
