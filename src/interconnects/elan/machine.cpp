#include "interconnects/elan/machine.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace railyard::elan {

Machine::Machine(sim::Engine& engine, const Parameters& parameters)
    : engine_(engine),
      parameters_(parameters),
      network_(elite::make_network(engine, parameters.network)) {
    const auto opener = [this](const elite::Delivery& delivery) {
        return adapters_[delivery.source]->sender().under_way(delivery.cookie);
    };
    for (elite::NodeId node = 0; node < network_->tree().nodes(); ++node)
        adapters_.push_back(
            std::make_unique<Adapter>(engine, parameters_, *network_, node, opener));
}

Machine::~Machine() = default;

std::shared_ptr<const Job> Machine::add_job(const std::vector<elite::NodeId>& nodes) {
    auto job = std::make_shared<Job>();
    job->key = ++jobs_;
    std::vector<ContextId> next(adapters_.size());
    for (const elite::NodeId node : nodes) {
        if (node >= adapters_.size())
            throw UsageError(
                fmt::format("node {} is not in a tree of {} nodes; give the network a "
                            "larger dimension",
                            node, adapters_.size()));
        const auto used = static_cast<ContextId>(adapters_[node]->chip().contexts.size());
        job->processes.push_back({node, used + next[node]++});
    }
    for (Vpid vpid = 0; vpid < nodes.size(); ++vpid)
        adapters_[nodes[vpid]]->open(job, vpid, job->processes[vpid].context);
    return job;
}

Context& Machine::context(const Job& job, Vpid vpid) {
    const Job::Process& process = job.processes.at(vpid);
    return *adapter(process.node).chip().contexts.at(process.context);
}

void Machine::keep_journal(Journal* journal) {
    for (const auto& adapter : adapters_)
        adapter->chip().journal = journal;
}

}  // namespace railyard::elan
