#pragma once
/// The thread processor: a small RISC processor in the adapter, on which message libraries, and
/// users, run code of their own with no work by the host (EL-7). One thread computes at a time.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interconnects/quadrics/elan/dma_engine.hpp"

namespace railyard::elan {

class ThreadProcessor;

/// What code on the thread processor can do. Between calls it takes no time: what it computes, it
/// says by compute().
class Thread final : public Sending {
  public:
    Context& context() const { return context_; }
    sim::Engine& engine() const;
    const Parameters& parameters() const;

    void compute(Duration work);
    /// Waits for a firing of an event of its own context that rearms, and takes it.
    Status wait(Address event);
    /// A message of one of the context's input queues, if there is one.
    std::optional<InputQueue::Message> take(std::uint32_t queue);
    /// Starts a DMA without the command processor: the descriptor is at hand.
    void start(const Descriptor& descriptor);
    void set_event(Vpid vpid, Address event, Status status = {});
    /// Writes to memory of either kind, over the bus where it is the host's, and waits for that.
    Verdict write(Address address, std::span<const std::byte> data);
    /// The other way, likewise.
    Verdict read(Address address, std::span<std::byte> data);
    /// One packet to all processes from the first to the last: taken only if the word at that
    /// address has reached the value in each of them. Waits for the answer.
    Verdict test(Vpid first, Vpid last, Address address, std::uint32_t value);
    /// Sets the event at that address in each of them, and waits until all have it.
    Verdict set_events(Vpid first, Vpid last, Address event);
    void sleep(Duration duration);
    /// Of the context's memory, in the cache of the chip.
    bool store(Address address, std::span<const std::byte> data);
    bool load(Address address, std::span<std::byte> data);

    /// Thrown through the code of a thread whose context closes.
    struct Stopped {};

  private:
    friend class ThreadProcessor;
    Thread(ThreadProcessor& processor, Context& context)
        : processor_(processor), context_(context) {}
    void pause(const sim::Reason& reason);
    Verdict move(Access access, Address address, std::span<std::byte> data);
    void settled(const ParcelHandle& parcel, Verdict verdict) override;
    Verdict ask_all(Transaction kind, Vpid first, Vpid last, Address address, std::uint32_t value);

    ThreadProcessor& processor_;
    Context& context_;
    sim::Fiber* fiber_ = nullptr;
    bool stopped_ = false;
    std::optional<Verdict> answer_;
};

class ThreadProcessor {
  public:
    using Code = std::function<void(Thread&)>;

    ThreadProcessor(Chip& chip, DmaEngine& dma, Events& events, Sender& sender);

    /// Runs until the code returns or the context closes.
    Thread& start(Context& context, std::string name, Code code);
    /// Ends the threads of a context: what they wait for never comes.
    void stop(Context& context);
    void wake(Thread& thread);
    /// For code that is no fiber: it is put on the processor, and works for so long.
    void schedule(sim::Action start);
    void compute(Duration work, sim::Action done);
    const Resource& processor() const { return processor_; }
    void stall(Time until) { processor_.stall(until); }

  private:
    friend class Thread;
    Chip& chip_;
    DmaEngine& dma_;
    Events& events_;
    Sender& sender_;
    Resource processor_;
    sim::Trace::Lane lane_ = 0;
    std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace railyard::elan
