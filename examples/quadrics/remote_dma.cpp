// Elan3lib: one process writes into the memory of another, and both hear of it. The adapters'
// journal tells the way in thirteen steps.

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
    const auto job = machine.add_job({0, 1});
    elan::Journal journal;
    machine.keep_journal(&journal);

    // What the processes of a job agree on before they start.
    Address target = 0;
    Address arrived = 0;

    engine.spawn("receiver", [&] {
        Process process(machine, job, 1);
        target = process.allocate(elan3::Home::main, 64);
        process.put_value(target, std::uint32_t{0});
        const Event event = process.make_event();
        arrived = event.address;
        (void)process.wait(event);
        fmt::print("received {}\n\n", process.value<std::uint32_t>(target));
    });
    engine.spawn("sender", [&] {
        Process process(machine, job, 0);
        const Address source = process.allocate(elan3::Home::main, 64);
        process.put_value(source, std::uint32_t{42});
        const Event sent = process.make_event();
        process.engine().sleep_until(Time::at(100_us));
        process.put(1, source, target, 64, {sent.address, arrived});
        (void)process.wait(sent);
    });
    engine.run();
    traced.write();

    fmt::print("{:>6}  {:<55}{}\n", "us", "node 0", "node 1");
    for (const elan::Journal::Line& line : journal.lines)
        fmt::print("{:6.2f}  {:<{}}{:>2} {}\n", (line.at - Time::at(100_us)).microseconds(), "",
                   line.node == 0 ? 0 : 55, static_cast<int>(line.step), name(line.step));
}
