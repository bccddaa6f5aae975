// Elanlib's Tports: a message goes once around a ring of sixteen processes, growing on the way past
// the 288 bytes up to which it travels with its envelope.

#include <fmt/format.h>

#include "interconnects/quadrics/elanlib/tport.hpp"

using namespace railyard;
using namespace railyard::literals;
using elan3::Process;
using elanlib::Tport;

int main() {
    constexpr elan3::Vpid processes = 16;
    sim::Engine engine;
    elan::Machine machine(engine, {});
    std::vector<elite::NodeId> nodes(processes);
    for (elan3::Vpid i = 0; i < processes; ++i)
        nodes[i] = i;
    const auto job = machine.add_job(nodes);

    for (elan3::Vpid self = 0; self < processes; ++self)
        engine.spawn(fmt::format("process {}", self), [&, self] {
            Process process(machine, job, self);
            Tport port(process);
            const elan3::Address buffer = process.allocate(elan3::Home::main, 4096);
            process.store(buffer, std::vector<std::byte>(4096));
            const Tport::Request coming = port.start_receive({std::nullopt, 1}, buffer, 4096);
            process.engine().sleep_until(Time::at(100_us));
            if (self == 0) (void)port.send(1, 1, buffer, 32);
            const elanlib::Outcome outcome = port.wait(coming);
            const elanlib::Envelope& envelope = outcome.envelope;
            fmt::print(
                "{:6.1f} us  process {:2} has {:3} bytes from process {:2}{}\n",
                (process.now() - Time::at(100_us)).microseconds(), self, envelope.size,
                envelope.from,
                envelope.data == elanlib::Envelope::Data::with_it ? ", with the envelope" : "");
            if (self != 0) (void)port.send((self + 1) % processes, 1, buffer, envelope.size + 32);
            process.engine().sleep_until(Time::at(1_ms));
        });
    engine.run();
}
