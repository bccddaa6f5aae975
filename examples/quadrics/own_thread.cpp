// Code of one's own on the thread processor: it adds up what others send, and answers, while its
// host does something else.

#include <fmt/format.h>

#include <cstring>

#include "interconnects/quadrics/elan3/process.hpp"

using namespace railyard;
using namespace railyard::literals;
using elan3::Address;
using elan3::Event;
using elan3::Process;

int main() {
    constexpr std::uint32_t queue = 1;
    sim::Engine engine;
    elan::Machine machine(engine, {});
    const auto job = machine.add_job({0, 1, 2, 3});
    std::array<Address, 4> answered{};

    engine.spawn("server", [&] {
        Process process(machine, job, 0);
        const Event work = process.make_event({.chain = {}, .for_thread = true});
        process.make_queue(queue, work.address);
        process.start_thread("adder", [&, work](elan::Thread& thread) {
            std::uint32_t sum = 0;
            for (;;) {
                (void)thread.wait(work.address);
                const auto message = thread.take(queue);
                std::uint32_t value = 0;
                std::memcpy(&value, message->bytes.data(), sizeof value);
                thread.compute(300_ns);
                sum += value;
                fmt::print("process {} adds {}: {}\n", message->from, value, sum);
                thread.set_event(message->from, answered[message->from]);
            }
        });
        const Duration before = process.worked();
        process.engine().sleep_until(Time::at(500_us));
        fmt::print("the server's own processor worked {} us\n",
                   (process.worked() - before).microseconds());
    });
    for (elan3::Vpid self = 1; self < 4; ++self)
        engine.spawn("client", [&, self] {
            Process process(machine, job, self);
            const Event event = process.make_event();
            answered[self] = event.address;
            const Address value = process.allocate(elan3::Home::sdram, 64);
            process.put_value(value, self * 10);
            process.engine().sleep_until(Time::at(50_us + 1_us * self));
            elan::Descriptor message;
            message.direction = elan::Direction::message;
            message.source = self;
            message.destination = 0;
            message.size = sizeof(std::uint32_t);
            message.source_address = value;
            message.destination_address = queue;
            process.start(message);
            (void)process.wait(event);
        });
    engine.run();
}
