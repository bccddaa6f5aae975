#include "interconnects/quadrics/fabric/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interconnects/quadrics/fabric/machine_parameters.hpp"
#include "railyard/base/error.hpp"

namespace railyard::quadrics {

using virtual_time::Extent;
using virtual_time::HostStep;
using virtual_time::Kind;
using virtual_time::Transfer;

namespace {

/// By a command of its process; all else the adapter does by itself.
bool is_commanded(Kind kind) {
    return kind == Kind::send || kind == Kind::write || kind == Kind::read_request ||
           kind == Kind::atomic_request;
}

/// What an atomic operation or a request to read has to say.
Bytes payload(const Transfer& transfer) {
    switch (transfer.kind) {
        case Kind::read_request:
        case Kind::atomic_request:
            return Bytes(32);
        default:
            return transfer.size;
    }
}

std::vector<elite::NodeId> all_nodes(elan::Machine& machine) {
    std::vector<elite::NodeId> nodes(machine.network().tree().nodes());
    for (elite::NodeId i = 0; i < nodes.size(); ++i)
        nodes[i] = i;
    return nodes;
}

/// A list of extents as addresses of one process, taken piece by piece.
class Pieces {
  public:
    Pieces(MemoryMap& memory, std::span<const Extent> extents, Bytes size,
           std::vector<MemoryMap::RegionId>& uses) {
        for (const Extent& extent : extents) {
            if (extent.length == Bytes()) continue;
            uses.push_back(extent.region);
            pieces_.push_back({memory.take(extent), extent.length});
        }
        if (pieces_.empty() && size > Bytes())
            pieces_.push_back({memory.system_buffer(size), size});
    }
    elan::Address address() const { return pieces_.empty() ? 0 : pieces_[next_].address; }
    Bytes left() const { return pieces_.empty() ? Bytes() : pieces_[next_].length; }
    void take(Bytes size) {
        Piece& piece = pieces_[next_];
        piece.address += static_cast<elan::Address>(size.count());
        piece.length = piece.length - size;
        if (piece.length == Bytes() && next_ + 1 < pieces_.size()) ++next_;
    }

  private:
    struct Piece {
        elan::Address address = 0;
        Bytes length;
    };
    std::vector<Piece> pieces_;
    std::size_t next_ = 0;
};

}  // namespace

Traffic::Traffic(sim::Engine& engine, const hardware::Parameters& profile,
                 const elan::Parameters& machine)
    : engine_(engine),
      profile_(profile),
      machine_(engine, machine),
      job_(machine_.add_job(all_nodes(machine_))) {}

Process& Traffic::process(const virtual_time::End& end) {
    if (end.node >= nodes())
        throw UsageError(fmt::format("node {} is not in a tree of {} nodes", end.node, nodes()));
    const elan::Vpid self = vpid(end);
    while (self >= job_->processes.size())
        machine_.add_processes(*job_, all_nodes(machine_));
    if (self >= processes_.size()) processes_.resize(job_->processes.size());
    auto& its = processes_[self];
    if (!its) its = std::make_unique<Process>(machine_, *job_, self);
    return *its;
}

void Traffic::stop() {
    stopped_ = true;
    for (const auto& message : messages_)
        message->arrived.reset();
    for (const auto& process : processes_)
        if (process) process->stop();
    if (faults_) faults_->tell_when_given_up(nullptr);
}

void Traffic::expect_faults(const faults::Script& script, const faults::Layout& layout,
                            std::shared_ptr<fabric::FaultReport> report) {
    faults_ = std::make_shared<MachineFaults>(machine_, script, layout, std::move(report));
    engine_.keep(faults_);
}

Message& Traffic::take_message(const Transfer& transfer, sim::Action arrived) {
    if (free_.empty()) {
        messages_.push_back(std::make_unique<Message>());
        free_.push_back(messages_.back().get());
    }
    Message& message = *free_.back();
    free_.pop_back();
    message.kind = transfer.kind;
    message.from = transfer.from;
    message.to = transfer.to;
    message.arrived = std::move(arrived);
    message.is_there = message.delivered = message.acknowledged = false;
    return message;
}

void Traffic::carry(const Transfer& transfer, sim::Action arrived) {
    if (transfer.kind == Kind::acknowledgment) return acknowledge(transfer, std::move(arrived));
    Message& message = take_message(transfer, std::move(arrived));
    // What may throw comes first: a message that is in the order is waited for.
    find_stretches(message, transfer);
    order_.add(message);
    send_data(message);
}

void Traffic::acknowledge(const Transfer& transfer, sim::Action arrived) {
    const auto [from, to] = std::pair(transfer.from.node, transfer.to.node);
    const elite::Parameters& network = machine_.parameters().network;
    const unsigned switches = from == to ? 0 : elite::FatTree::distance(from, to);
    engine_.schedule(engine_.now() + network.token_time(switches), std::move(arrived));
}

/// Both sides hear of it: the source when all packets have been acknowledged, the destination when
/// all data are in place.
void Traffic::watch(Message& message, std::uint32_t dmas) {
    message.sent = process(message.from).take_event(dmas, [this, &message](Status status) {
        sent(message, status);
    });
    message.landed =
        process(message.to).take_event(dmas, [this, &message](Status) { landed(message); });
}

void Traffic::find_stretches(Message& message, const Transfer& transfer) {
    const Bytes size = payload(transfer);
    Pieces from(process(message.from).memory(), transfer.source, size, message.source);
    Pieces to(process(message.to).memory(), transfer.target, size, message.target);
    stretches_.clear();
    for (Bytes left = size; left > Bytes();) {
        const Bytes n = std::min({from.left(), to.left(), left});
        stretches_.push_back({from.address(), to.address(), n});
        from.take(n);
        to.take(n);
        left = left - n;
    }
    if (stretches_.empty()) stretches_.push_back({});
}

void Traffic::send_data(Message& message) {
    watch(message, static_cast<std::uint32_t>(stretches_.size()));
    Process& from = process(message.from);
    for (const Stretch& stretch : stretches_) {
        elan::Descriptor descriptor;
        descriptor.size = static_cast<std::uint32_t>(stretch.size.count());
        descriptor.source = vpid(message.from);
        descriptor.destination = vpid(message.to);
        descriptor.source_address = stretch.from;
        descriptor.destination_address = stretch.to;
        descriptor.source_event = message.sent;
        descriptor.destination_event = message.landed;
        if (!is_commanded(message.kind)) {
            from.start(descriptor);
            continue;
        }
        message.blocks.push_back(from.take_block());
        from.command(descriptor, message.blocks.back());
    }
}

void Traffic::landed(Message& message) {
    if (stopped_ || message.delivered) return;  // delivered: given up, and here after all
    order_.arrived(message);
    deliver_next(message.from.node, message.to.node);
}

void Traffic::deliver_next(fabric::NodeId from, fabric::NodeId to) {
    while (Message* const message = order_.take_next(from, to)) {
        message->delivered = true;
        sim::Action arrived = std::move(message->arrived);
        let_go_if_done(*message);
        arrived();
        if (stopped_) return;
    }
}

void Traffic::sent(Message& message, Status status) {
    if (stopped_) return;
    if (status.failed()) return lose(message, status);
    message.acknowledged = true;
    let_go_if_done(message);
}

/// The destination cannot be reached any more. What the message has used is not used again: some of
/// it may have got there all the same.
void Traffic::lose(Message& message, Status status) {
    if (status.code() != Code::timed_out)
        throw Error(fmt::format("quadrics: the adapter of node {} refused a DMA to node {}: {}",
                                message.from.node, message.to.node, status.name()));
    for (const MemoryMap::RegionId region : message.source)
        process(message.from).memory().let_go(region);
    message.source.clear();
    if (message.delivered) return;
    message.delivered = true;
    message.arrived.reset();
    order_.lost(message);
    deliver_next(message.from.node, message.to.node);
}

void Traffic::let_go_if_done(Message& message) {
    if (!message.acknowledged || !message.delivered) return;
    Process& from = process(message.from);
    Process& to = process(message.to);
    from.give_back_event(message.sent);
    to.give_back_event(message.landed);
    for (const elan::Address block : message.blocks)
        from.give_back_block(block);
    for (const MemoryMap::RegionId region : message.source)
        from.memory().let_go(region);
    for (const MemoryMap::RegionId region : message.target)
        to.memory().let_go(region);
    message.blocks.clear();
    message.source.clear();
    message.target.clear();
    free_.push_back(&message);
}

void Traffic::complete(const virtual_time::End& end, const virtual_time::Finished& what,
                       sim::Action visible) {
    const hardware::Completion& library = profile_.completion;
    if (what.receive && what.size > Bytes() && what.size <= library.with_data)
        process(end).show_with_data(std::move(visible));
    else
        process(end).show(library.write,
                          what.receive ? elan::Step::destination_event : elan::Step::source_event,
                          std::move(visible));
}

Duration Traffic::host_cost(HostStep step, Bytes size) const {
    const elan::Parameters& machine = machine_.parameters();
    switch (step) {
        case HostStep::post_send:
            return machine.host.descriptor + machine.host.command;
        default:
            return hardware::host_cost(profile_, step, size);
    }
}

std::vector<fabric::PartUse> Traffic::parts() const {
    using fabric::PartKind;
    std::vector<fabric::PartUse> all;
    const auto add = [&](PartKind kind, Duration busy, const std::string& name) {
        if (busy > Duration{}) all.push_back({kind, name, busy});
    };
    for (fabric::NodeId id = 0; id < nodes(); ++id) {
        if (!machine_.find_adapter(id)) continue;
        elan::Adapter& adapter = *machine_.find_adapter(id);
        elan::MemoryPath& path = adapter.chip().path;
        const std::string node = fmt::format("node {}, ", id);
        for (std::size_t i = 0; i < elan::role_names.size(); ++i)
            add(PartKind::adapter, adapter.chip().microcode.busy(static_cast<elan::Role>(i)),
                node + std::string(elan::role_names[i]));
        add(PartKind::adapter, adapter.threads().processor().busy(), node + "thread processor");
        add(PartKind::adapter, path.internal().busy(), node + "internal bus");
        add(PartKind::adapter, path.sdram().busy(), node + "memory");
        add(PartKind::bus, path.pci().busy(), node + "bus");
    }
    const elite::Network& network = machine_.network();
    const elite::FatTree& tree = network.tree();
    for (elite::CableId cable = 0; cable < tree.cables(); ++cable) {
        const elite::LinkId up = tree.up(cable);
        const bool of_node = tree.is_out_of_node(up);
        const std::string name = of_node ? fmt::format("node {}, link 0", tree.near(up).id)
                                         : "switches, " + tree.cable_name(cable);
        add(PartKind::link, network.busy(up), name + (of_node ? " out" : ", up"));
        add(PartKind::link, network.busy(tree.reverse(up)), name + (of_node ? " in" : ", down"));
    }
    return all;
}

std::shared_ptr<virtual_time::NicTaggedPort> Traffic::make_tagged_port(
    const std::shared_ptr<virtual_time::NicState>& nic) {
    process(nic->end());
    ports_.push_back(
        std::make_shared<TaggedPort>(nic, machine_, *job_, profile_.tagged.eager_limit));
    return ports_.back();
}

void Traffic::tell_when_given_up(GivenUp given_up) {
    faults_->tell_when_given_up(
        [this, given_up = std::move(given_up)](fabric::NodeId from, fabric::NodeId to) {
            given_up(from, to);
            for (const auto& port : ports_)
                port->give_up(from, to);
        });
}

void Traffic::forgotten(const virtual_time::End& end, std::uint64_t region) {
    // A destructor asks: a process that is not there is no error here.
    if (end.node < nodes() && vpid(end) < processes_.size() && processes_[vpid(end)])
        process(end).memory().forget(region);
}

}  // namespace railyard::quadrics
