#pragma once
/// A small machine with one job, and processes in fibers: what most tests here need.

#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "interconnects/quadrics/elan3/process.hpp"
#include "sim/engine.hpp"

namespace railyard::elan3 {

class Cluster {
  public:
    explicit Cluster(std::uint32_t processes, const elan::Parameters& parameters = {})
        : machine(engine, parameters) {
        std::vector<elite::NodeId> nodes(processes);
        std::iota(nodes.begin(), nodes.end(), 0U);
        job = machine.add_job(nodes);
    }

    /// Every process runs it; returns when all have.
    void run(const std::function<void(Process&)>& body) {
        for (Vpid vpid = 0; vpid < job->processes.size(); ++vpid)
            engine.spawn("process " + std::to_string(vpid), [this, vpid, &body] {
                Process process(machine, job, vpid);
                body(process);
            });
        engine.run();
    }

    sim::Engine engine;
    elan::Machine machine;
    std::shared_ptr<const elan::Job> job;
};

inline std::vector<std::byte> pattern(std::size_t size, unsigned seed = 1) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>((i * 7 + seed * 13 + i / 251) & 0xff);
    return bytes;
}

}  // namespace railyard::elan3
