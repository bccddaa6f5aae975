// The thirteen steps of a remote DMA in a trace, each in the lane of the unit that takes it: RD-1.

#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "interconnects/quadrics/elan3/cluster.hpp"
#include "sim/trace.hpp"

namespace railyard::elan3 {
namespace {

using namespace railyard::literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// A slice as the file has it.
struct Line {
    std::string lane;  ///< behind its group
    std::string name;
    double begin = 0;  ///< in us
    double end = 0;
    std::uint64_t id = 0;
};

std::vector<Line> read(const sim::Trace& trace) {
    std::ostringstream out;
    trace.write(out);
    std::map<std::string, std::string> groups;
    std::map<std::string, std::string> lanes;
    std::vector<Line> lines;
    static const std::regex named(
        R"re("pid":(\d+),"tid":(\d+),"name":"(process|thread)_name","args":\{"name":"(.*)"\})re");
    static const std::regex slice(
        R"re("tid":(\d+),"ts":([0-9.]+),"dur":([0-9.]+),"name":"(.*)","args":\{"id":(\d+)\})re");
    std::smatch found;
    std::istringstream text(out.str());
    for (std::string line; std::getline(text, line);) {
        if (std::regex_search(line, found, named)) {
            if (found[3] == "process")
                groups[found[1]] = found[4];
            else
                lanes[found[2]] = groups[found[1]] + ", " + found[4].str();
        } else if (std::regex_search(line, found, slice)) {
            const double begin = std::stod(found[2]);
            lines.push_back({lanes[found[1]], found[4], begin, begin + std::stod(found[3]),
                             std::stoull(found[5])});
        }
    }
    return lines;
}

/// Two nodes, of which the first writes 64 bytes to the second; both are told.
struct Traced {
    sim::Trace trace;
    Time ended;
    elan::DmaId dma = 0;

    explicit Traced(bool recorded) {
        sim::Engine engine;
        if (recorded) engine.record(&trace);
        elan::Machine machine(engine, {});
        const auto job = machine.add_job({0, 1});
        Event arrived;
        Address target = elan::null_address;
        engine.spawn("process 1", [&] {
            Process process(machine, job, 1);
            arrived = process.make_event();
            target = process.allocate(Home::main, 64);
            EXPECT_TRUE(process.wait(arrived).ok());
            ended = engine.now();
        });
        engine.spawn("process 0", [&] {
            Process process(machine, job, 0);
            const Address from = process.allocate(Home::main, 64);
            process.put_value(from, 42);
            const Event sent = process.make_event();
            process.spend(20_us);
            dma = process.put(1, from, target, 64, {sent.address, arrived.address});
            EXPECT_TRUE(process.wait(sent).ok());
        });
        engine.run();
    }
};

/// Step by step, the lane of each; a step of several slices has the first one's.
std::vector<std::string> lanes_of_steps(const std::vector<Line>& lines, elan::DmaId dma) {
    std::vector<std::string> lanes;
    for (int step = 1; step <= 13; ++step) {
        const std::string name(elan::numbered(static_cast<elan::Step>(step)));
        const auto found = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
            return line.name == name && line.id == dma;
        });
        lanes.push_back(found == lines.end() ? "nowhere" : found->lane);
    }
    return lanes;
}

TEST(Elan3Trace, HasEachStepInTheLaneOfItsUnit) {
    const Traced traced(true);
    EXPECT_THAT(
        lanes_of_steps(read(traced.trace), traced.dma),
        ElementsAre("node 0, process 0", "node 0, process 0", "node 0, command processor",
                    "node 0, command processor", "node 0, DMA engine", "node 1, inputter",
                    "node 1, DMA engine", "node 0, inputter", "node 0, DMA engine", "node 0, PCI",
                    "node 1, inputter", "node 1, DMA engine", "node 1, PCI"));
}

TEST(Elan3Trace, HasTheStepsInTheirOrder) {
    const Traced traced(true);
    const std::vector<Line> lines = read(traced.trace);
    const auto begin = [&](int step) {
        const std::string name(elan::numbered(static_cast<elan::Step>(step)));
        for (const Line& line : lines)
            if (line.name == name && line.id == traced.dma) return line.begin;
        return -1.0;
    };
    EXPECT_GE(begin(1), 20.0);
    for (const auto& way : {std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {6, 11, 12, 13}})
        for (std::size_t i = 1; i < way.size(); ++i)
            EXPECT_LT(begin(way[i - 1]), begin(way[i])) << "step " << way[i];
}

// A unit does one thing at a time, so viewers can draw each lane as one line.
TEST(Elan3Trace, NothingOverlapsInALane) {
    const Traced traced(true);
    std::map<std::string, double> busy_until;
    for (const Line& line : read(traced.trace)) {
        double& until = busy_until[line.lane];
        EXPECT_GE(line.begin, until - 1e-7) << line.lane << ": " << line.name;
        until = line.end;
    }
}

TEST(Elan3Trace, ChangesNothing) {
    const Traced with(true);
    const Traced without(false);
    EXPECT_EQ(with.ended, without.ended);
    EXPECT_THAT(read(without.trace), IsEmpty());
}

}  // namespace
}  // namespace railyard::elan3
