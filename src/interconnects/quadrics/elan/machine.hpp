#pragma once
/// A cluster: the network with an adapter on every node, and the jobs that run on it. An adapter
/// takes no memory before somebody asks for it, or a packet gets there.

#include <compare>
#include <functional>
#include <memory>
#include <vector>

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

/// An Elan3: all units of one adapter, on one node of the network.
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

class Machine {
  public:
    /// All nodes of the tree have an adapter. The engine must not run any more when it goes.
    Machine(sim::Engine& engine, const Parameters& parameters);
    ~Machine();

    sim::Engine& engine() const { return engine_; }
    const Parameters& parameters() const { return parameters_; }
    elite::Network& network() { return *network_; }
    const elite::Network& network() const { return *network_; }
    Adapter& adapter(elite::NodeId node) {
        const auto& made = adapters_.at(node);
        return made ? *made : make_adapter(node);
    }

    /// Null if it has not been used.
    Adapter* find_adapter(elite::NodeId node) const { return adapters_.at(node).get(); }
    std::size_t adapters_in_use() const;

    /// A job whose process i runs on the i-th of these nodes; each gets a context there.
    std::shared_ptr<const Job> add_job(const std::vector<elite::NodeId>& nodes);
    /// More processes of that job, behind those that it has.
    void add_processes(const Job& job, const std::vector<elite::NodeId>& nodes);
    Context& context(const Job& job, Vpid vpid);

    /// From now on, what happens to every DMA is written down there; null: no more.
    void keep_journal(Journal* journal);

  private:
    /// Takes in what comes to a node whose adapter has not been made.
    class AdapterOnDemand final : public elite::Adapter {
      public:
        explicit AdapterOnDemand(Machine& machine) : machine_(machine) {}
        void arrived(const elite::Delivery& delivery) override;
        void settled(elite::PacketId, const elite::Outcome&) override {}  // it sends nothing

      private:
        Machine& machine_;
    };
    struct Assignment {
        elite::NodeId node = 0;
        Vpid vpid = 0;
        friend auto operator<=>(const Assignment&, const Assignment&) = default;
    };
    struct Running {
        std::shared_ptr<Job> job;
        std::shared_ptr<std::vector<elite::NodeId>> nodes;  ///< the job's own, which may grow
        std::vector<Assignment> assignments;                ///< sorted
    };
    Adapter& make_adapter(elite::NodeId node);
    void add_processes(Running& running, const std::vector<elite::NodeId>& nodes);

    sim::Engine& engine_;
    const Parameters parameters_;
    const std::shared_ptr<Pools> pools_;
    AdapterOnDemand on_demand_;
    std::unique_ptr<elite::Network> network_;
    std::vector<std::unique_ptr<Adapter>> adapters_;  ///< by node; null until it is used
    std::vector<ContextId> contexts_;                 ///< by node: numbers given away
    std::vector<Running> jobs_;
    Journal* journal_ = nullptr;
};

}  // namespace railyard::elan
