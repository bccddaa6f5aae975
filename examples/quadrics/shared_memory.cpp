// Shmem on Elanlib: every process puts its number into the memory of all others, and gets a block
// from its neighbour.

#include <fmt/format.h>

#include "interconnects/quadrics/elanlib/shmem.hpp"

using namespace railyard;
using namespace railyard::literals;
using elan3::Address;
using elan3::Process;
using elanlib::Shmem;

int main() {
    constexpr elan3::Vpid processes = 4;
    sim::Engine engine;
    elan::Machine machine(engine, {});
    const auto job = machine.add_job({0, 1, 2, 3});
    for (elan3::Vpid self = 0; self < processes; ++self)
        engine.spawn(fmt::format("process {}", self), [&, self] {
            Process process(machine, job, self);
            Shmem shmem(process);
            const Address table = shmem.allocate(4 * processes);
            const Address mine = shmem.allocate(1 << 16);
            const Address copy = shmem.allocate(1 << 16);
            process.put_value(mine, 100 + self);
            process.engine().sleep_until(Time::at(1_ms));

            for (elan3::Vpid to = 0; to < processes; ++to)
                shmem.start_put(to, mine, table + 4 * self, 4);
            (void)shmem.quiet();
            for (elan3::Vpid from = 0; from < processes; ++from)
                shmem.wait(table + 4 * from, 100 + from);

            const Time start = process.now();
            (void)shmem.get((self + 1) % processes, mine, copy, 1 << 16);
            fmt::print(
                "process {} has heard of all, and got {} from its neighbour: 64 KiB at {:.0f} "
                "MB/s\n",
                self, process.value<std::uint32_t>(copy),
                (1 << 16) / (process.now() - start).microseconds());
            process.engine().sleep_until(Time::at(5_ms));
        });
    engine.run();
}
