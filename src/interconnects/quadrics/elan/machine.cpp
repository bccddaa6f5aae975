#include "interconnects/quadrics/elan/machine.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "interconnects/quadrics/elan/parcel.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elan {

void CommandProcessor::command(Context& context, const Command& command, DmaId id) {
    if (chip_.is_away()) {  // the write is not taken before it is back
        chip_.engine.schedule(
            chip_.back_at, [this, &context, command, id] { this->command(context, command, id); });
        return;
    }
    const Label what = command.kind == Command::Kind::run_dma ? label(Step::check, id) : "check";
    chip_.microcode.run(Role::command, chip_.parameters.microcode.check, what,
                        [this, &context, command, id] {
                            switch (command.kind) {
                                case Command::Kind::run_dma:
                                    return run(context, command.address, id);
                                case Command::Kind::set_event:
                                    return events_.set_anywhere(Role::command, context,
                                                                command.vpid, command.address);
                                case Command::Kind::arm:
                                    return events_.arm(context, command.address);
                                case Command::Kind::interrupt:
                                    return events_.interrupt(context, command.address);
                            }
                        });
}

/// A descriptor that makes no sense goes no further than this (RD-5).
Status CommandProcessor::check(const Context& context, const Descriptor& descriptor) const {
    const bool is_read = descriptor.direction == Direction::read;
    if (descriptor.direction > Direction::message || descriptor.priority > elite::Priority::high)
        return Code::invalid;
    if (!context.knows(descriptor.source) || !context.knows(descriptor.destination))
        return Code::invalid;
    if ((is_read ? descriptor.destination : descriptor.source) != context.self)
        return Code::invalid;
    const Address end = descriptor.source_address + descriptor.size;
    if (end < descriptor.source_address) return Code::out_of_bounds;
    if (descriptor.direction == Direction::message && descriptor.size > packet_data)
        return Code::too_long;
    if (!is_read && descriptor.size > 0 && !context.space.home_of(descriptor.source_address))
        return Code::out_of_bounds;
    const Address event = is_read ? descriptor.destination_event : descriptor.source_event;
    for (const Address own : {event, descriptor.failure_event})
        if (own != null_address && !context.events.contains(own)) return Code::bad_key;
    if (!descriptor.broadcast) return {};
    if (is_read || !context.knows(descriptor.last_destination)) return Code::invalid;
    const auto& processes = context.job->processes;
    for (Vpid vpid = descriptor.destination; vpid < descriptor.last_destination; ++vpid)
        if (processes[vpid + 1].node != processes[vpid].node + 1) return Code::invalid;  // BC-3
    return descriptor.destination <= descriptor.last_destination ? Status() : Code::invalid;
}

void CommandProcessor::run(Context& context, Address address, DmaId id) {
    chip_.note(Step::check, id);
    chip_.touch(context, address, [this, &context, id, address] {
        Descriptor descriptor;
        std::array<std::byte, sizeof(Descriptor)> bytes;
        const bool there = context.space.load(address, bytes);
        std::memcpy(static_cast<void*>(&descriptor), bytes.data(), sizeof descriptor);
        const Status status = there ? check(context, descriptor) : Status(Code::out_of_bounds);
        if (!status.ok()) {
            context.troubles.push_back(status);
            if (context.notify_host) context.notify_host();
            return;
        }
        chip_.microcode.run(Role::command, chip_.parameters.microcode.enqueue,
                            label(Step::enqueue, id),
                            [this, dma = dma_.make(context, descriptor, id)] {
                                chip_.note(Step::enqueue, dma->id);
                                dma_.enqueue(dma);
                            });
    });
}

Adapter::Adapter(sim::Engine& engine, const Parameters& parameters, Pools& pools,
                 elite::Network& network, elite::NodeId node, Opener opener)
    : network_(network),
      opener_(std::move(opener)),
      chip_(engine, parameters, pools, node),
      sender_(chip_, network,
              [this](const ParcelHandle& parcel) { inputter_.take_from_here(parcel); }),
      events_(chip_, {[this](Context& context, Address descriptor) {
                          commands_.run(context, descriptor, dma_.next_id());
                      },
                      [this](const ParcelHandle& parcel) { sender_.send(parcel); },
                      [this](Thread& thread) { threads_.wake(thread); }}),
      dma_(chip_, sender_, events_),
      inputter_(chip_, events_, dma_, *this),
      commands_(chip_, dma_, events_),
      threads_(chip_, dma_, events_, sender_) {
    inputter_.on_duplicate = [this] {
        if (network_.watched_by()) network_.watched_by()->repeated();
    };
    network.attach(node, this);
}

Adapter::~Adapter() {
    network_.attach(chip_.node, nullptr);
}

Context& Adapter::open(const std::shared_ptr<const Job>& job, Vpid vpid, ContextId id) {
    auto context =
        std::make_unique<Context>(id, job, vpid, chip_.frames, chip_.parameters.host_offset);
    context->tables.emplace_back(network_.tree(), chip_.node, elite::Routing::adaptive, job->nodes);
    context->space.on_change = [this, id](std::uint32_t page) { chip_.mmu.forget(id, page); };
    if (sim::Trace* const trace = chip_.engine.trace())
        context->lane =
            trace->lane(fmt::format("node {}", chip_.node), fmt::format("process {}", vpid));
    if (chip_.contexts.size() <= id) chip_.contexts.resize(id + 1);
    chip_.contexts[id] = std::move(context);
    return *chip_.contexts[id];
}

void Adapter::close(Context& context) {
    context.open = false;
    context.notify_host = nullptr;
    context.interrupt_host = nullptr;
    threads_.stop(context);
}

void Adapter::reset(Duration outage) {
    const Time now = chip_.engine.now();
    chip_.reset(now + outage);
    threads_.stall(chip_.back_at);
    network_.break_part(elite::Part::cable(chip_.node), now, chip_.back_at);
}

void Adapter::arrived(const elite::Delivery& delivery) {
    const ParcelHandle parcel = opener_(delivery);
    if (!parcel) return network_.answer(delivery, elite::Answer::refuse);
    inputter_.take(parcel, delivery);
}

void Adapter::answer(const Arrival& arrival, Verdict verdict) {
    if (arrival.from_here) {
        arrival.parcel->verdict = verdict;
        sender_.settled_here(arrival.parcel);
        return;
    }
    if (verdict != Verdict::taken) arrival.parcel->verdict = verdict;
    network_.answer(arrival.delivery,
                    verdict == Verdict::taken ? elite::Answer::accept : elite::Answer::refuse);
}

Machine::Machine(sim::Engine& engine, const Parameters& parameters)
    : engine_(engine),
      parameters_(parameters),
      pools_(std::make_shared<Pools>()),
      on_demand_(*this),
      network_(elite::make_network(engine, parameters.network)),
      adapters_(network_->tree().nodes()),
      contexts_(adapters_.size()) {
    engine.keep(pools_);
    for (elite::NodeId node = 0; node < adapters_.size(); ++node)
        network_->attach(node, &on_demand_);
}

Machine::~Machine() = default;

std::size_t Machine::adapters_in_use() const {
    return adapters_.size() -
           static_cast<std::size_t>(std::count(adapters_.begin(), adapters_.end(), nullptr));
}

void Machine::AdapterOnDemand::arrived(const elite::Delivery& delivery) {
    elite::Adapter& adapter = machine_.adapter(delivery.node);
    adapter.arrived(delivery);
}

/// With the contexts that jobs have there.
Adapter& Machine::make_adapter(elite::NodeId node) {
    adapters_[node] = std::make_unique<Adapter>(
        engine_, parameters_, *pools_, *network_, node, [this](const elite::Delivery& delivery) {
            return adapters_[delivery.source]->sender().under_way(delivery.cookie);
        });
    Adapter& made = *adapters_[node];
    made.chip().journal = journal_;
    for (const auto& [job, nodes, assignments] : jobs_)
        for (auto each =
                 std::lower_bound(assignments.begin(), assignments.end(), Assignment{node, 0});
             each != assignments.end() && each->node == node; ++each)
            made.open(job, each->vpid, job->processes[each->vpid].context);
    return made;
}

std::shared_ptr<const Job> Machine::add_job(const std::vector<elite::NodeId>& nodes) {
    Running running{std::make_shared<Job>(), std::make_shared<std::vector<elite::NodeId>>(), {}};
    running.job->key = jobs_.size() + 1;
    running.job->nodes = running.nodes;
    add_processes(running, nodes);
    jobs_.push_back(std::move(running));
    return jobs_.back().job;
}

void Machine::add_processes(const Job& job, const std::vector<elite::NodeId>& nodes) {
    add_processes(jobs_.at(job.key - 1), nodes);
}

void Machine::add_processes(Running& running, const std::vector<elite::NodeId>& nodes) {
    for (const elite::NodeId node : nodes)
        if (node >= adapters_.size())
            throw UsageError(
                fmt::format("node {} is not in a tree of {} nodes; give the network a "
                            "larger dimension",
                            node, adapters_.size()));
    Job& job = *running.job;
    const std::size_t before = job.processes.size();
    job.processes.reserve(before + nodes.size());
    running.assignments.reserve(before + nodes.size());
    running.nodes->insert(running.nodes->end(), nodes.begin(), nodes.end());
    for (const elite::NodeId node : nodes) {
        ContextId& next = contexts_[node];
        if (const auto& made = adapters_[node])
            next = std::max(next, static_cast<ContextId>(made->chip().contexts.size()));
        running.assignments.push_back({node, static_cast<Vpid>(job.processes.size())});
        job.processes.push_back({node, next++});
    }
    std::sort(running.assignments.begin(), running.assignments.end());
    for (std::size_t vpid = before; vpid < job.processes.size(); ++vpid)
        if (const auto& made = adapters_[job.processes[vpid].node])
            made->open(running.job, static_cast<Vpid>(vpid), job.processes[vpid].context);
}

Context& Machine::context(const Job& job, Vpid vpid) {
    const Job::Process& process = job.processes.at(vpid);
    return *adapter(process.node).chip().contexts.at(process.context);
}

void Machine::keep_journal(Journal* journal) {
    journal_ = journal;
    for (const auto& adapter : adapters_)
        if (adapter) adapter->chip().journal = journal;
}

std::string_view numbered(Step step) {
    static constexpr std::array<std::string_view, 14> names = {
        "",
        "1 the process writes the descriptor into Elan memory",
        "2 it gives its address to the command processor",
        "3 the command processor checks it",
        "4 and puts it on the DMA queue",
        "5 the DMA engine carries it out",
        "6 the remote inputter tells its DMA engine",
        "7 which acknowledges to the source",
        "8 the source event is set",
        "9 its block is copied",
        "10 and seen in main memory",
        "11 the destination event is set",
        "12 its block is copied",
        "13 and seen in main memory"};
    return names[static_cast<std::size_t>(step)];
}

std::string_view name(Step step) {
    const std::string_view whole = numbered(step);
    return whole.substr(whole.find(' ') + 1);
}

}  // namespace railyard::elan
