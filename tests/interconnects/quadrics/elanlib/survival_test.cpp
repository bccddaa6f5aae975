// Messages under faults that come at random, from a fixed seed: each arrives once and whole (FA-8).
// RAILYARD_ELAN_MESSAGES makes it a long run.

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <tuple>

#include "interconnects/quadrics/elan3/cluster.hpp"
#include "interconnects/quadrics/elanlib/tport.hpp"

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

/// How cables and switches go and come.
struct Weather {
    const char* name;
    unsigned retries;
    Duration shortest;
    Duration longest;
    Duration least_gap;  ///< from the beginning of one to that of the next
    Duration most_gap;
    double bit_errors;
};
/// Many at a time, each over before a parcel has lost patience with its way.
const Weather showers{"Showers", 6, 0_us, 3_us, 2_us, 8_us, 1e-6};
/// One after the other, each longer than a way is tried: the source goes by other ways, and comes
/// back to those that were mended. Patience with the only way there is lasts for 56 us, in
/// four tries; a bit that is wrong in the last of them would be one fault too many.
const Weather fronts{"Fronts", elan::Parameters().retries, 10_us, 50_us, 120_us, 150_us, 0};

elite::Part any_part(const elite::FatTree& tree, sim::Random& random) {
    if (random.below(4) == 0)
        return elite::Part::switch_of(static_cast<elite::SwitchId>(random.below(tree.switches())));
    return elite::Part::cable(static_cast<elite::CableId>(random.below(tree.cables())));
}

void break_things(elite::Network& network, const Weather& weather, std::uint64_t seed,
                  Duration for_how_long) {
    sim::Random random(seed);
    const auto between = [&](Duration least, Duration most) {
        return least + Duration::ps(static_cast<std::int64_t>(
                           random.below(static_cast<std::uint64_t>((most - least).picoseconds()))));
    };
    for (elite::CableId cable = 0; cable < network.tree().cables(); ++cable)
        network.set_bit_errors(cable, weather.bit_errors);
    for (Duration at = 50_us; at < for_how_long;
         at += between(weather.least_gap, weather.most_gap)) {
        const elite::Part part = any_part(network.tree(), random);
        network.break_part(part, Time::at(at),
                           Time::at(at + between(weather.shortest, weather.longest)));
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

class ElanSurvival : public ::testing::TestWithParam<std::tuple<Weather, std::uint64_t>> {};
INSTANTIATE_TEST_SUITE_P(Seeds, ElanSurvival,
                         ::testing::Combine(::testing::Values(showers, fronts),
                                            ::testing::Values(1, 2, 3)),
                         [](const auto& each) {
                             return std::get<0>(each.param).name +
                                    std::to_string(std::get<1>(each.param));
                         });

TEST_P(ElanSurvival, EveryMessageArrivesOnce) {
    const auto& [weather, seed] = GetParam();
    const std::uint32_t rounds = messages_of_each();
    elan::Parameters parameters;
    parameters.retries = weather.retries;
    Cluster cluster(processes, parameters);
    break_things(cluster.machine.network(), weather, seed, 30_us * rounds);
    std::uint64_t arrived = 0;
    std::uint64_t still_there = processes;
    cluster.run([&](Process& process) {
        Tport port(process);
        process.engine().sleep_until(Time::at(40_us));
        exchange(process, port, rounds, arrived);
        // Its memory is open to others until all are through.
        --still_there;
        while (still_there > 0)
            process.spend(10_us);
        EXPECT_EQ(port.matcher().unexpected(), 0U);
        EXPECT_TRUE(process.troubles().empty());
    });
    EXPECT_EQ(arrived, std::uint64_t{rounds} * processes);
    std::uint64_t retries = 0;
    std::uint64_t ways_changed = 0;
    for (elite::NodeId node = 0; node < processes; ++node) {
        retries += cluster.machine.adapter(node).sender().retries();
        ways_changed += cluster.machine.adapter(node).sender().ways_changed();
    }
    EXPECT_GT(retries, rounds / 10);
    if (weather.retries == fronts.retries) {
        EXPECT_GT(ways_changed, 0U);
    }
}

}  // namespace
}  // namespace railyard::elanlib
