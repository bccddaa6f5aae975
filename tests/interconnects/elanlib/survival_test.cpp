// Messages under faults that come at random, from a fixed seed: each arrives once and whole (FA-8).
// RAILYARD_ELAN_MESSAGES makes it a long run.

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>

#include "interconnects/elan3/cluster.hpp"
#include "interconnects/elanlib/tport.hpp"

namespace railyard::elanlib {
namespace {

using namespace railyard::literals;
using elan3::Cluster;
using elan3::Home;
using elan3::pattern;
using elan3::Process;

constexpr Vpid processes = 16;

std::uint32_t messages_of_each() {
    const char* const asked = std::getenv("RAILYARD_ELAN_MESSAGES");
    return asked ? static_cast<std::uint32_t>(std::stoul(asked)) / processes : 100;
}

/// Cables and switches go for up to 3 us, more often than messages come; some bits are always
/// wrong.
void break_things(elite::Network& network, std::uint64_t seed, Duration for_how_long) {
    sim::Random random(seed);
    for (elite::CableId cable = 0; cable < network.tree().cables(); ++cable)
        network.set_bit_errors(cable, 1e-6);
    for (Duration at = 50_us; at < for_how_long;
         at += Duration::ns(2'000 + static_cast<std::int64_t>(random.below(6'000)))) {
        const auto part =
            random.below(4) == 0
                ? elite::Part::switch_of(
                      static_cast<elite::SwitchId>(random.below(network.tree().switches())))
                : elite::Part::cable(
                      static_cast<elite::CableId>(random.below(network.tree().cables())));
        network.break_part(
            part, Time::at(at),
            Time::at(at + Duration::ns(static_cast<std::int64_t>(random.below(3'000)))));
    }
}

/// Every process sends to the one `step` further on, which says what it has to find.
void exchange(Process& process, Tport& port, std::uint32_t rounds, std::uint64_t& arrived) {
    const Address from = process.allocate(Home::main, 1024);
    const Address to = process.allocate(Home::main, 1024);
    process.store(to, pattern(1024, 0));
    for (std::uint32_t round = 0; round < rounds; ++round) {
        const Vpid step = 1 + round % (processes - 1);
        const Vpid peer = (process.self() + step) % processes;
        const Vpid source = (process.self() + processes - step) % processes;
        const std::uint32_t size = round * 37 % 700;
        process.store(from, pattern(size, process.self() + round));
        const Tport::Request receive = port.start_receive({source, round}, to, 1024);
        const Tport::Request send = port.start_send(peer, round, from, size);
        ASSERT_TRUE(port.wait(send).status.ok()) << process.self() << " in round " << round;
        const Outcome outcome = port.wait(receive);
        ASSERT_TRUE(outcome.status.ok());
        ASSERT_EQ(outcome.envelope.size, size);
        std::vector<std::byte> bytes(size);
        process.load(to, bytes);
        ASSERT_EQ(bytes, pattern(size, source + round));
        ++arrived;
    }
}

class ElanSurvival : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, ElanSurvival, ::testing::Values(1, 2, 3));

TEST_P(ElanSurvival, EveryMessageArrivesOnce) {
    const std::uint32_t rounds = messages_of_each();
    elan::Parameters parameters;
    parameters.retries = 6;
    Cluster cluster(processes, parameters);
    break_things(cluster.machine.network(), GetParam(), 30_us * rounds);
    std::uint64_t arrived = 0;
    std::uint64_t still_there = processes;
    cluster.run([&](Process& process) {
        Tport port(process);
        process.engine().sleep_until(Time::at(40_us));
        exchange(process, port, rounds, arrived);
        // Its memory is open to others until all are through.
        for (--still_there; still_there > 0;)
            process.spend(10_us);
        EXPECT_EQ(port.matcher().unexpected(), 0U);
        EXPECT_TRUE(process.troubles().empty());
    });
    EXPECT_EQ(arrived, std::uint64_t{rounds} * processes);
    std::uint64_t retries = 0;
    for (elite::NodeId node = 0; node < processes; ++node)
        retries += cluster.machine.adapter(node).sender().retries();
    EXPECT_GT(retries, rounds / 10);
}

}  // namespace
}  // namespace railyard::elanlib
