// A switch dies in the middle of a stream of small writes. The one under way is tried again three
// times; then the source takes another way, and the rest is as fast as before.

#include <fmt/format.h>

#include "interconnects/quadrics/elan3/process.hpp"
#include "quadrics/traced.hpp"

using namespace railyard;
using namespace railyard::literals;
using elan3::Address;
using elan3::Event;
using elan3::Process;

int main(int argc, char** argv) {
    sim::Engine engine;
    Traced traced(engine, argc, argv);
    elan::Machine machine(engine, {});
    const auto job = machine.add_job({0, 15});
    elite::Network& network = machine.network();
    // Always up by the same links, so that it is clear what breaks.
    elan::Context& context = machine.context(*job, 0);
    context.tables.clear();
    context.tables.emplace_back(network.tree(), 0, elite::Routing::fixed,
                                std::vector<elite::NodeId>{0, 15});
    network.break_part(elite::Part::switch_of(network.tree().switch_at(2, 3)), Time::at(113_us));

    Address target = 0;
    engine.spawn("receiver", [&] {
        Process process(machine, job, 1);
        target = process.allocate(elan3::Home::main, 64);
        process.put_value(target, 0);
        process.engine().sleep_until(Time::at(300_us));
    });
    engine.spawn("sender", [&] {
        Process process(machine, job, 0);
        const Address source = process.allocate(elan3::Home::main, 64);
        process.put_value(source, 0);
        const Event sent = process.make_event();
        process.engine().sleep_until(Time::at(100_us));
        for (int i = 1; i <= 8; ++i) {
            const Time start = process.now();
            const std::uint64_t before = process.adapter().sender().retries();
            process.put(1, source, target, 64, {.source = sent.address});
            const Status status = process.wait(sent);
            const double took = (process.now() - start).microseconds();
            const std::uint64_t retries = process.adapter().sender().retries() - before;
            fmt::print("write {} {:6.2f} us |{:#<{}}| {}{}\n", i, took, "",
                       static_cast<int>(took * 4), status.name(),
                       retries == 0 ? "" : fmt::format(", {} retries", retries));
            process.prime(sent);
        }
        for (const elite::Part& part : context.routes().avoided())
            fmt::print("avoided from now on: {}\n", network.tree().switch_name(part.id));
    });
    engine.run();
    traced.write();
}
