// The paper's figures of Elan3lib and Tports beside those that come out here.

#include <fmt/format.h>

#include <array>
#include <functional>
#include <numeric>

#include "interconnects/quadrics/elanlib/tport.hpp"

using namespace railyard;
using namespace railyard::literals;
using elan3::Address;
using elan3::Event;
using elan3::Home;
using elan3::Process;

namespace {

constexpr Time start = Time::at(20_ms);  ///< when all pages are bound
constexpr Time end = Time::at(100_ms);   ///< until then, memory is open to others

/// So many processes, each on a node of its own.
void run(elan3::Vpid processes, const std::function<void(Process&)>& body) {
    sim::Engine engine;
    elan::Machine machine(engine, {});
    std::vector<elite::NodeId> nodes(processes);
    std::iota(nodes.begin(), nodes.end(), 0U);
    const auto job = machine.add_job(nodes);
    for (elan3::Vpid vpid = 0; vpid < processes; ++vpid)
        engine.spawn(fmt::format("process {}", vpid), [&, vpid] {
            Process process(machine, job, vpid);
            body(process);
            engine.sleep_until(end);
        });
    engine.run();
}

Address buffer(Process& process, Home home, std::uint32_t size) {
    const Address address = process.allocate(home, size);
    process.store(address, std::vector<std::byte>(size));
    return address;
}

/// Half a round trip of remote writes between main memories, in microseconds.
double latency(std::uint32_t size) {
    constexpr int rounds = 10;
    std::array<Address, 2> target{};
    std::array<Address, 2> arrived{};
    double result = 0;
    run(2, [&](Process& process) {
        const elan3::Vpid self = process.self();
        const elan3::Vpid peer = 1 - self;
        const Address source = buffer(process, Home::main, 64);
        const Event event = process.make_event();
        target[self] = buffer(process, Home::main, 64);
        arrived[self] = event.address;
        process.engine().sleep_until(start);
        Time begin;
        for (int i = -2; i < rounds; ++i) {
            if (i == 0) begin = process.now();
            if (self == 1) (void)process.wait(event);
            process.put(peer, source, target[peer], size,
                        {.source = elan::null_address, .destination = arrived[peer]});
            if (self == 0) (void)process.wait(event);
            process.prime(event);
        }
        if (self == 0) result = (process.now() - begin).microseconds() / (2 * rounds);
    });
    return result;
}

/// The same by empty tagged messages, for which receives are posted.
double tport_latency() {
    constexpr int rounds = 10;
    double result = 0;
    run(2, [&](Process& process) {
        const elan3::Vpid peer = 1 - process.self();
        elanlib::Tport port(process);
        const Address memory = buffer(process, Home::main, 64);
        auto next = port.start_receive({peer, 7}, memory, 64);
        process.engine().sleep_until(start);
        Time begin;
        for (int i = -2; i < rounds; ++i) {
            if (i == 0) begin = process.now();
            const auto coming = next;
            if (process.self() == 1) (void)port.wait(coming);
            const auto send = port.start_send(peer, 7, memory, 0);
            next = port.start_receive({peer, 7}, memory, 64);
            (void)port.wait(send);
            if (process.self() == 0) (void)port.wait(coming);
        }
        if (process.self() == 0) result = (process.now() - begin).microseconds() / (2 * rounds);
        (void)port.cancel(next);
    });
    return result;
}

/// Of one long remote write, or of one each way at the same time, in MB/s.
double rate(Home from, Home to, bool both_ways) {
    constexpr std::uint32_t size = 1 << 20;
    std::array<Address, 2> target{};
    double result = 0;
    run(2, [&](Process& process) {
        const Address source = buffer(process, from, size);
        target[process.self()] = buffer(process, to, size);
        const Event done = process.make_event();
        process.engine().sleep_until(start);
        if (process.self() == 1 && !both_ways) return;
        process.put(1 - process.self(), source, target[1 - process.self()], size,
                    {.source = done.address});
        (void)process.wait(done);
        result = size / (process.now() - start).microseconds();
    });
    return result;
}

/// What fifteen processes reach together that read or write the main memory of one, in MB/s.
double hot_spot(bool reading) {
    constexpr std::uint32_t size = 1 << 17;
    constexpr elan3::Vpid accessors = 15;
    Address place = 0;
    Time last;
    run(accessors + 1, [&](Process& process) {
        const Address mine = buffer(process, Home::main, size);
        const Event done = process.make_event();
        if (process.self() == 0) place = mine;
        process.engine().sleep_until(start);
        if (process.self() == 0) return;
        if (reading)
            process.get(0, place, mine, size,
                        {.source = elan::null_address, .destination = done.address});
        else
            process.put(0, mine, place, size, {.source = done.address});
        (void)process.wait(done);
        last = std::max(last, process.now());
    });
    return accessors * double{size} / (last - start).microseconds();
}

void show(const char* figure, const char* paper, double here, const char* unit) {
    fmt::print("{:<26}{:>7}{:>7.{}f} {}\n", figure, paper, here, unit[0] == 'u' ? 2 : 0, unit);
}

}  // namespace

int main() {
    fmt::print("{:<26}{:>7}{:>7}\n", "", "paper", "here");
    show("0 bytes", "1.9", latency(0), "us");
    show("64 bytes", "2.4", latency(64), "us");
    show("0 bytes, Tports", "4.4", tport_latency(), "us");
    show("Elan to Elan", "335", rate(Home::sdram, Home::sdram, false), "MB/s");
    show("main to Elan", "321", rate(Home::main, Home::sdram, false), "MB/s");
    show("Elan to main", "317", rate(Home::sdram, Home::main, false), "MB/s");
    show("main to Elan, both ways", "280", rate(Home::main, Home::sdram, true), "MB/s");
    show("Elan to Elan, both ways", "less", rate(Home::sdram, Home::sdram, true), "MB/s");
    show("main to main, both ways", "160", rate(Home::main, Home::main, true), "MB/s");
    show("hot spot, 15 read", "314", hot_spot(true), "MB/s");
    show("hot spot, 15 write", "307", hot_spot(false), "MB/s");
}
