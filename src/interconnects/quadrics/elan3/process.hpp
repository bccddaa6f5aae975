#pragma once
/// Elan3lib: the lowest user-level interface of a process to its adapter. Memory in one address
/// space, remote DMA, and events. All calls are made in fibers of the process, its threads; none is
/// a system call, but for a wait that blocks.

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "interconnects/quadrics/elan/machine.hpp"

namespace railyard::elan3 {

/// The part of Elan3lib that waits for nothing: events and input queues in Elan memory, and
/// commands that are written to the adapter's port. For processes that are fibers (Process) and for
/// software that runs in events of the engine.
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
        if (command.kind == elan::Command::Kind::run_dma) trace(id);
        adapter_.chip().path.host_access(Bytes(8), false,
                                         [&adapter = adapter_, &context = context_, command, id] {
                                             adapter.commands().command(context, command, id);
                                         });
    }

  private:
    /// Steps 1 and 2, which the processor has just spent its time on.
    void trace(elan::DmaId id) const {
        const elan::Chip& chip = adapter_.chip();
        sim::Trace* const trace = chip.engine.trace();
        if (!trace) return;
        const elan::HostCosts& costs = chip.parameters.host;
        Time end = chip.engine.now();
        const auto before = [&](elan::Step step, Duration cost) {
            const Time begin = Time::at(end.since_start() - cost);
            trace->slice(context_.lane, elan::numbered(step), begin, end, id);
            end = begin;
        };
        before(elan::Step::give_command, costs.command);
        before(elan::Step::write_descriptor, costs.descriptor);
    }

    elan::Adapter& adapter_;
    elan::Context& context_;
};

using elan::Address;
using elan::Home;
using elan::Vpid;

/// How to wait for an event (EV-3).
enum class Wait : std::uint8_t {
    poll,   ///< look at a block in main memory, which the adapter copies there: no bus traffic
    busy,   ///< read the event itself, over the bus, again and again
    block,  ///< sleep, and be interrupted
};

/// An event in Elan memory, and the two equal blocks by which it is polled for.
struct Event {
    Address address = elan::null_address;
    Address block = elan::null_address;  ///< in Elan memory, prepared
    Address word = elan::null_address;   ///< in main memory: 0 until it fires
};

struct EventOptions {
    std::uint32_t sets = 1;  ///< that make it fire
    std::vector<elan::Chained> chain;
    bool for_thread = false;  ///< no block copy; each firing is for a thread to take
    bool rearms = false;      ///< needs no prime(): whoever sets it waits for the process to see it
    bool primed = true;       ///< else it counts until prime() says how many sets make it fire
    std::uint32_t block = 4;  ///< bytes that are copied; the first word is not 0
};

/// The two events of a DMA; either, both or none (RD-2).
struct Notify {
    Address source = elan::null_address;
    Address destination = elan::null_address;
    elite::Priority priority = elite::Priority::low;
};

class Process {
  public:
    /// That process of the job, in its context. Closes it at the end: its threads stop, and nobody
    /// reaches its memory any more.
    Process(elan::Machine& machine, std::shared_ptr<const elan::Job> job, Vpid self);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    Vpid self() const { return self_; }
    std::size_t processes() const { return job_->processes.size(); }
    const elan::Job& job() const { return *job_; }
    elan::Machine& machine() { return machine_; }
    elan::Adapter& adapter() { return adapter_; }
    elan::Context& context() { return context_; }
    sim::Engine& engine() { return machine_.engine(); }
    Time now() { return engine().now(); }

    // Memory. Addresses are the same for the process and for its adapter, but for a fixed offset on
    // a 64-bit host; pages are bound when first touched.
    Address allocate(Home home, std::uint32_t size) { return space().allocate(home, size); }
    void release(Address address, std::uint32_t size) { space().release(address, size); }
    /// Where nothing is mapped. The memory stays the caller's, and must outlive the mapping.
    Address map(std::span<std::byte> memory);
    void unmap(Address address, std::uint32_t size) { space().unmap(address, size); }
    void expose(const elan::Segment& segment) { space().expose(segment); }
    /// The processor's own accesses; those to Elan memory cross the bus. Throw UsageError where
    /// nothing is mapped.
    void store(Address address, std::span<const std::byte> data);
    void load(Address address, std::span<std::byte> data);
    template <class T>
    void put_value(Address address, const T& value) {
        store(address, std::as_bytes(std::span(&value, 1)));
    }
    template <class T>
    T value(Address address) {
        T result{};
        load(address, std::as_writable_bytes(std::span(&result, 1)));
        return result;
    }

    // Events.
    Event make_event(const EventOptions& options = {});
    void forget(const Event& event);
    /// An event that a wait has seen fires again only after this.
    void prime(const Event& event);
    /// The same, after so many sets; those that came since it last fired count.
    void prime(const Event& event, std::uint32_t sets);
    void set(Vpid vpid, Address event);
    /// One look at main memory; a firing that is found is taken.
    bool poll(const Event& event);
    /// Whether a look would find one; for those who only ask whether to look, it takes no time.
    bool has_fired(const Event& event);
    /// What became of what it stands for, once it has fired.
    Status status(const Event& event) { return state(event).status; }
    Status wait(const Event& event, Wait how = Wait::poll);

    /// Until the word at an address in main memory is not below that: remote writes end there.
    void wait_for(Address word, std::uint32_t at_least);
    /// Until that is so of main memory: looks whenever something has come.
    void wait_until(const std::function<bool()>& is_so);

    // Remote DMA: steps 1 and 2; the rest is the adapter's.
    elan::DmaId start(const elan::Descriptor& descriptor);
    elan::DmaId put(Vpid to, Address from, Address at, std::uint32_t size, const Notify& notify);
    elan::DmaId get(Vpid from, Address at, Address to, std::uint32_t size, const Notify& notify);
    /// To all processes from the first to the last, whose nodes must be a range (BC-1).
    elan::DmaId broadcast(Vpid first, Vpid last, Address from, Address at, std::uint32_t size,
                          const Notify& notify);

    /// Code of the user's own on the thread processor.
    elan::Thread& start_thread(std::string name, elan::ThreadProcessor::Code code);
    /// Makes an input queue with that number; its event is for a thread.
    void make_queue(std::uint32_t number, Address event) { port_.make_queue(number, event); }

    /// The processor works for so long.
    void spend(Duration work);
    /// All that it has worked so far; waiting is no work.
    Duration worked() const { return worked_; }
    const std::vector<Status>& troubles() const { return context_.troubles; }

  private:
    elan::AddressSpace& space() { return context_.space; }
    void over_bus(Bytes size, bool read);
    /// A DMA from and to this process: what all kinds have in common.
    elan::Descriptor describe(Address from, Address to, std::uint32_t size, const Notify& notify);
    void command(const elan::Command& command);
    /// The processor writes a command to the port, and goes on.
    void spend_on_command() { spend(machine_.parameters().host.command); }
    void sleep(const sim::Reason& reason);
    void wake();
    elan::EventState& state(const Event& event) { return context_.events.at(event.address); }
    Status take(const Event& event);

    static constexpr std::uint32_t descriptors = 64;  ///< in a ring: far more than are under way

    elan::Machine& machine_;
    const std::shared_ptr<const elan::Job> job_;
    const Vpid self_;
    elan::Adapter& adapter_;
    elan::Context& context_;
    const CommandPort port_;
    Address ring_ = elan::null_address;
    std::uint32_t next_descriptor_ = 0;
    std::vector<sim::Fiber*> sleepers_;  ///< threads that wait, in the order of their coming
    std::set<Address> interrupted_;      ///< events for which threads that blocked were woken
    Duration worked_;
};

}  // namespace railyard::elan3
