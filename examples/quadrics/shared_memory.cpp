// Shmem on Elanlib: every process puts its number into the memory of all others, takes a ticket at
// process 0, adds up with the others, and gets a block from its neighbour.

#include <fmt/format.h>

#include "interconnects/quadrics/elanlib/atomics.hpp"
#include "interconnects/quadrics/elanlib/reduction.hpp"

using namespace railyard;
using namespace railyard::literals;
using elan3::Address;
using elan3::Process;
using elanlib::Compare;

int main() {
    constexpr elan3::Vpid processes = 4;
    sim::Engine engine;
    elan::Machine machine(engine, {});
    const auto job = machine.add_job({0, 1, 2, 3});
    for (elan3::Vpid self = 0; self < processes; ++self)
        engine.spawn(fmt::format("process {}", self), [&, self] {
            Process process(machine, job, self);
            elanlib::Shmem shmem(process);
            elanlib::Atomics atomics(shmem);
            elanlib::ActiveSets sets(shmem);
            const elanlib::Sync sync = sets.make_sync();
            const Address table = shmem.allocate(4 * processes);
            const Address tickets = shmem.allocate(4);
            const Address mine = shmem.allocate(1 << 16);
            const Address copy = shmem.allocate(1 << 16);
            const Address sum = shmem.allocate(4);
            process.put_value(mine, 100 + self);
            (void)sets.barrier_all();

            for (elan3::Vpid to = 0; to < processes; ++to)
                shmem.p(to, table + 4 * self, 100 + self);
            for (elan3::Vpid from = 0; from < processes; ++from)
                shmem.wait_until(table + 4 * from, Compare::eq, 100 + from);
            (void)sets.barrier_all();

            const Time before = process.now();
            const auto ticket = atomics.finc<std::uint32_t>(0, tickets);
            const Duration taken = process.now() - before;
            (void)elanlib::reduce<std::uint32_t>(sets, sets.all(), elanlib::Reduction::sum, sum,
                                                 mine, 1, sync);
            (void)sets.barrier_all();

            const Time start = process.now();
            (void)shmem.get((self + 1) % processes, mine, copy, 1 << 16);
            fmt::print(
                "process {}: ticket {} after {:.1f} us, sum {}, 64 KiB from its neighbour at "
                "{:.0f} MB/s\n",
                self, ticket.value, taken.microseconds(), process.value<std::uint32_t>(sum),
                (1 << 16) / (process.now() - start).microseconds());
            (void)sets.barrier_all();
            process.engine().sleep_until(Time::at(5_ms));
        });
    engine.run();
}
