// A machine of many nodes: what is not used is not there.

#include <gmock/gmock.h>

#include <numeric>

#include "interconnects/quadrics/elan3/cluster.hpp"

namespace railyard::elan3 {
namespace {

using namespace railyard::literals;

elan::Parameters of_1024_nodes() {
    elan::Parameters parameters;
    parameters.network.dimension = 5;
    return parameters;
}

TEST(Elan3Machine, MakesAdaptersWhenTheyAreUsed) {
    sim::Engine engine;
    elan::Machine machine(engine, of_1024_nodes());
    std::vector<elite::NodeId> nodes(1024);
    std::iota(nodes.begin(), nodes.end(), 0U);
    const auto job = machine.add_job(nodes);
    EXPECT_EQ(machine.adapters_in_use(), 0U);
    Status outcome = Code::again;
    engine.spawn("process 0", [&] {
        Process process(machine, job, 0);
        const Event done = process.make_event();
        process.put(1023, elan::null_address, elan::null_address, 0, {.source = done.address});
        outcome = process.wait(done);
    });
    engine.run();
    EXPECT_TRUE(outcome.ok()) << "the context is there, though nobody has asked for its adapter";
    EXPECT_EQ(machine.adapters_in_use(), 2U);
}

// Contexts of several jobs on a node whose adapter is made late, and of one that comes after that.
TEST(Elan3Machine, KnowsTheContextsOfAllJobs) {
    sim::Engine engine;
    elan::Machine machine(engine, {});
    const auto first = machine.add_job({3, 5, 5});
    const auto second = machine.add_job({5});
    EXPECT_EQ(machine.context(*first, 2).self, 2U);
    EXPECT_EQ(machine.context(*second, 0).job, second);
    const auto third = machine.add_job({5, 3});
    EXPECT_EQ(machine.context(*third, 0).job, third);
    EXPECT_EQ(machine.context(*third, 1).job, third);
    EXPECT_EQ(machine.context(*first, 0).job, first);
    EXPECT_EQ(machine.adapters_in_use(), 2U);
}

}  // namespace
}  // namespace railyard::elan3
