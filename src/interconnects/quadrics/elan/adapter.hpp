#pragma once
/// An Elan3: all units of one adapter, on one node of the network.

#include <functional>
#include <memory>

#include "interconnects/quadrics/elan/dma_engine.hpp"
#include "interconnects/quadrics/elan/inputter.hpp"
#include "interconnects/quadrics/elan/thread_processor.hpp"
#include "interconnects/quadrics/elite/network.hpp"

namespace railyard::elan {

/// The command processor: a thread of the microcode that does what user processes ask for, by a
/// write to a port of the adapter and with no system call (EL-6).
struct Command {
    enum class Kind : std::uint8_t {
        run_dma,    ///< the descriptor at that address
        set_event,  ///< of that process
        arm,        ///< an own event
        interrupt,  ///< when that own event has fired
    };
    Kind kind = Kind::run_dma;
    Address address = null_address;
    Vpid vpid = 0;
};

class CommandProcessor {
  public:
    CommandProcessor(Chip& chip, DmaEngine& dma, Events& events)
        : chip_(chip), dma_(dma), events_(events) {}

    /// As it arrives over the bus.
    void command(Context& context, const Command& command, DmaId id = 0);
    /// What a chained DMA asks for, without a process.
    void run(Context& context, Address descriptor, DmaId id);

  private:
    Status check(const Context& context, const Descriptor& descriptor) const;

    Chip& chip_;
    DmaEngine& dma_;
    Events& events_;
};

class Adapter final : public elite::Adapter, private Inputter::Answers {
  public:
    /// Finds the parcel that a packet carries.
    using Opener = std::function<ParcelHandle(const elite::Delivery&)>;

    Adapter(sim::Engine& engine, const Parameters& parameters, Pools& pools,
            elite::Network& network, elite::NodeId node, Opener opener);
    ~Adapter() override;

    /// A new context; the job names it by its number.
    Context& open(const std::shared_ptr<const Job>& job, Vpid vpid, ContextId id);
    /// Threads end, and nobody reaches its memory any more.
    void close(Context& context);
    /// It loses what is in its units, and its end of the cable is dead for so long. What its memory
    /// holds stays: tables, events, queues, descriptors, and which parcels it has taken.
    void reset(Duration outage);
    /// Parts that were avoided may be tried again: somebody has mended them.
    void forget_faults() { sender_.forget_faults(); }

    Chip& chip() { return chip_; }
    Sender& sender() { return sender_; }
    Events& events() { return events_; }
    DmaEngine& dma() { return dma_; }
    Inputter& inputter() { return inputter_; }
    CommandProcessor& commands() { return commands_; }
    ThreadProcessor& threads() { return threads_; }

  private:
    void arrived(const elite::Delivery& delivery) override;
    void answer(const Arrival& arrival, Verdict verdict) override;
    void settled(elite::PacketId packet, const elite::Outcome& outcome) override {
        sender_.settled(packet, outcome);
    }

    elite::Network& network_;
    Opener opener_;
    Chip chip_;
    Sender sender_;
    Events events_;
    DmaEngine dma_;
    Inputter inputter_;
    CommandProcessor commands_;
    ThreadProcessor threads_;
};

}  // namespace railyard::elan
