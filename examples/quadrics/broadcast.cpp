// A broadcast of 320 bytes to sixteen nodes: one packet, which the switches copy on its way down,
// and one acknowledgment, which they gather on its way back.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interconnects/quadrics/elan3/process.hpp"
#include "quadrics/traced.hpp"

using namespace railyard;
using namespace railyard::literals;
using elan::Step;
using elan3::Address;
using elan3::Event;
using elan3::Process;

int main(int argc, char** argv) {
    sim::Engine engine;
    Traced traced(engine, argc, argv);
    elan::Machine machine(engine, {});
    std::vector<elite::NodeId> nodes(16);
    for (elite::NodeId node = 0; node < 16; ++node)
        nodes[node] = node;
    const auto job = machine.add_job(nodes);
    elan::Journal journal;
    machine.keep_journal(&journal);

    for (elan3::Vpid self = 0; self < 16; ++self)
        engine.spawn(fmt::format("process {}", self), [&, self] {
            Process process(machine, job, self);
            const Address data = process.allocate(elan3::Home::main, 320);
            process.store(data, std::vector<std::byte>(320, static_cast<std::byte>(self)));
            const Event arrived = process.make_event();
            const Event sent = process.make_event();
            process.engine().sleep_until(Time::at(100_us));
            if (self == 0) {
                process.broadcast(1, 15, data, data, 320, {sent.address, arrived.address});
                (void)process.wait(sent);
            } else {
                (void)process.wait(arrived);
            }
            process.engine().sleep_until(Time::at(200_us));
        });
    engine.run();
    traced.write();

    // A column is 100 ns.
    std::map<elite::NodeId, std::string> lanes;
    const auto mark = [&](const elan::Journal::Line& line, char with) {
        std::string& lane = lanes[line.node];
        const auto at = static_cast<std::size_t>((line.at - Time::at(100_us)).picoseconds() /
                                                 (100_ns).picoseconds());
        lane.resize(std::max(lane.size(), at + 1), ' ');
        lane[at] = with;
    };
    const std::map<Step, char> marks = {
        {Step::write_descriptor, '1'}, {Step::check, '3'},           {Step::transfer, '5'},
        {Step::acknowledge, '7'},      {Step::source_event, '8'},    {Step::destination_event, 'e'},
        {Step::source_seen, 's'},      {Step::destination_seen, 's'}};
    for (const elan::Journal::Line& line : journal.lines)
        if (const auto found = marks.find(line.step); found != marks.end())
            mark(line, found->second);
    for (const auto& [node, lane] : lanes)
        fmt::print("node {:2} |{}\n", node, lane);
    const elite::Counters& counters = machine.network().counters();
    fmt::print("packets {}, deliveries {}, acknowledgments at the source {}\n", counters.sent,
               counters.delivered, counters.accepted);
}
