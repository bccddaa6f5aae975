#include "interconnects/quadrics/elan/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "interconnects/quadrics/elan/parcel.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elan {

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
    for (const auto& [job, assignments] : jobs_)
        for (auto each =
                 std::lower_bound(assignments.begin(), assignments.end(), Assignment{node, 0});
             each != assignments.end() && each->node == node; ++each)
            made.open(job, each->vpid, job->processes[each->vpid].context);
    return made;
}

std::shared_ptr<const Job> Machine::add_job(const std::vector<elite::NodeId>& nodes) {
    for (const elite::NodeId node : nodes)
        if (node >= adapters_.size())
            throw UsageError(
                fmt::format("node {} is not in a tree of {} nodes; give the network a "
                            "larger dimension",
                            node, adapters_.size()));
    auto job = std::make_shared<Job>();
    job->key = jobs_.size() + 1;
    job->nodes = std::make_shared<const std::vector<elite::NodeId>>(nodes);
    job->processes.reserve(nodes.size());
    Running running{job, {}};
    running.assignments.reserve(nodes.size());
    for (Vpid vpid = 0; vpid < nodes.size(); ++vpid) {
        const elite::NodeId node = nodes[vpid];
        ContextId& next = contexts_[node];
        if (const auto& made = adapters_[node])
            next = std::max(next, static_cast<ContextId>(made->chip().contexts.size()));
        job->processes.push_back({node, next++});
        running.assignments.push_back({node, vpid});
    }
    std::sort(running.assignments.begin(), running.assignments.end());
    jobs_.push_back(std::move(running));
    for (Vpid vpid = 0; vpid < nodes.size(); ++vpid)
        if (adapters_[nodes[vpid]])
            adapters_[nodes[vpid]]->open(job, vpid, job->processes[vpid].context);
    return job;
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

std::string_view name(Step step) {
    static constexpr std::array<std::string_view, 14> names = {
        "",
        "the process writes the descriptor into Elan memory",
        "it gives its address to the command processor",
        "the command processor checks it",
        "and puts it on the DMA queue",
        "the DMA engine carries it out",
        "the remote inputter tells its DMA engine",
        "which acknowledges to the source",
        "the source event is set",
        "its block is copied",
        "and seen in main memory",
        "the destination event is set",
        "its block is copied",
        "and seen in main memory"};
    return names[static_cast<std::size_t>(step)];
}

}  // namespace railyard::elan
