// Barrier and broadcast of 4 KiB, by the switches and by a tree of messages, on 4 to 1,024 nodes.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "interconnects/quadrics/elanlib/group.hpp"
#include "quadrics/rows.hpp"

using namespace railyard;
using namespace railyard::literals;
using elan3::Process;
using elanlib::Group;
using elanlib::Way;

/// From a common start until the last process is through, in microseconds.
double time_of(unsigned dimension, Way way, bool barrier) {
    sim::Engine engine;
    elan::Parameters parameters;
    parameters.network.dimension = dimension;
    elan::Machine machine(engine, parameters);
    std::vector<elite::NodeId> nodes(machine.network().tree().nodes());
    std::iota(nodes.begin(), nodes.end(), 0U);
    const auto job = machine.add_job(nodes);
    const Time start = Time::at(500_us);
    Time end;
    for (elan3::Vpid self = 0; self < nodes.size(); ++self)
        engine.spawn(fmt::format("process {}", self), [&, self] {
            Process process(machine, job, self);
            const elan3::Address data = process.allocate(elan3::Home::main, 4096);
            process.store(data, std::vector<std::byte>(4096));
            Group group(process);
            process.engine().sleep_until(start);
            (void)(barrier ? group.barrier(way) : group.broadcast(0, data, 4096, way));
            end = std::max(end, process.now());
            process.engine().sleep_until(Time::at(2_ms));
        });
    engine.run();
    return (end - start).microseconds();
}

int main(int arguments, char** argument) {
    Rows rows;
    for (const bool barrier : {true, false}) {
        fmt::print("{}\n", barrier ? "barrier" : "broadcast of 4 KiB");
        const double scale = barrier ? 2 : 0.2;
        for (unsigned dimension = 1; dimension <= 5; ++dimension)
            for (const Way way : {Way::hardware, Way::tree}) {
                const double us = time_of(dimension, way, barrier);
                const int nodes = 1 << 2 * dimension;
                const char* const mode = way == Way::hardware ? "switches" : "tree";
                fmt::print("{:5} nodes  {:<8} {:6.1f} us  {:#<{}}\n", nodes, mode, us, "",
                           static_cast<int>(us * scale));
                rows.add(barrier ? "quadrics-barrier" : "quadrics-broadcast",
                         {{results::parameter::nodes, std::int64_t{nodes}},
                          {results::parameter::mode, std::string(mode)}},
                         results::metric::latency, us, results::unit::microseconds);
            }
    }
    rows.write(arguments, argument);
}
