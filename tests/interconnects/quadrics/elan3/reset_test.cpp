// Adapters that are reset under traffic: FA-6 to FA-8. What was in their units is lost, and yet
// nothing is for good, and nothing comes twice.

#include <gmock/gmock.h>

#include <tuple>

#include "interconnects/quadrics/elan3/cluster.hpp"

namespace railyard::elan3 {
namespace {

using namespace railyard::literals;

/// Puts from process 0 to process 1, each with an event at both ends, and a read at the end.
class Traffic {
  public:
    static constexpr std::uint32_t size = 1500;
    static constexpr int messages = 4;

    void run() {
        cluster.run([&](Process& process) {
            const Address buffer = process.allocate(Home::main, size);
            process.store(buffer, pattern(size, 50 + process.self()));
            const Event event = process.make_event();
            const Event read = process.make_event();
            at[process.self()] = buffer;
            events[process.self()] = event.address;
            process.engine().sleep_until(Time::at(50_us));
            process.self() == 0 ? send(process, event, read) : receive(process, event);
            process.engine().sleep_until(Time::at(1_ms));
            fired[process.self()] = process.context().events.at(event.address).fired;
            if (process.self() == 0) reads = process.context().events.at(read.address).fired;
            EXPECT_TRUE(process.troubles().empty());
        });
    }

    Cluster cluster{2};
    Status outcome;
    int received = 0;
    int whole = 0;
    std::array<std::uint64_t, 2> fired{};
    std::uint64_t reads = 0;

  private:
    void send(Process& process, const Event& event, const Event& read) {
        for (int i = 1; i <= messages; ++i) {
            process.store(at[0], pattern(size, static_cast<unsigned>(i)));
            process.put(1, at[0], at[1], size, {event.address, events[1]});
            outcome = process.wait(event);
            if (!outcome.ok()) return;
            process.prime(event);
        }
        process.store(at[0], std::vector<std::byte>(size));
        process.get(1, at[1], at[0], size,
                    {.source = elan::null_address, .destination = read.address});
        outcome = process.wait(read);
        std::vector<std::byte> bytes(size);
        process.load(at[0], bytes);
        whole += bytes == pattern(size, messages);
    }
    void receive(Process& process, const Event& event) {
        for (int i = 1; i <= messages; ++i) {
            while (!process.poll(event)) {
                if (process.now() > Time::at(900_us)) return;
                process.spend(100_ns);
            }
            process.prime(event);
            ++received;
        }
    }

    std::array<Address, 2> at{};
    std::array<Address, 2> events{};
};

/// Who is reset, and in how many steps of 300 ns after the beginning.
class Elan3Reset : public ::testing::TestWithParam<std::tuple<elite::NodeId, int>> {};
INSTANTIATE_TEST_SUITE_P(Moments, Elan3Reset,
                         ::testing::Combine(::testing::Values(0U, 1U), ::testing::Range(0, 60)));

TEST_P(Elan3Reset, LosesNothingForGoodAndRepeatsNothing) {
    const auto [node, moment] = GetParam();
    Traffic traffic;
    traffic.cluster.engine.schedule(Time::at(50_us + 300_ns * moment), [&, node = node] {
        traffic.cluster.machine.adapter(node).reset(4_us);
    });
    traffic.run();
    EXPECT_TRUE(traffic.outcome.ok());
    EXPECT_EQ(traffic.received, Traffic::messages);
    EXPECT_EQ(traffic.fired[0], static_cast<std::uint64_t>(Traffic::messages));
    EXPECT_EQ(traffic.fired[1], static_cast<std::uint64_t>(Traffic::messages));
    EXPECT_EQ(traffic.reads, 1U);
    EXPECT_EQ(traffic.whole, 1);
}

// The tests above would mean little if no reset had hit anything.
TEST(Elan3Resets, HitPacketsUnderWay) {
    std::uint64_t retries = 0;
    std::uint64_t duplicates = 0;
    for (int moment = 0; moment < 200; ++moment) {
        Traffic traffic;
        traffic.cluster.engine.schedule(Time::at(50_us + 90_ns * moment),
                                        [&] { traffic.cluster.machine.adapter(1).reset(4_us); });
        traffic.run();
        retries += traffic.cluster.machine.adapter(0).sender().retries();
        duplicates += traffic.cluster.machine.adapter(1).inputter().duplicates();
    }
    EXPECT_GT(retries, 200U);
    EXPECT_GT(duplicates, 0U) << "no reset hit a token: shift the moments";
}

// A processor's command waits for an adapter that is away, and its own packets are not given up,
// however long that is: no way is to blame.
TEST(Elan3Resets, AnAdapterThatIsBackGoesOn) {
    Traffic traffic;
    traffic.cluster.engine.schedule(Time::at(52_us),
                                    [&] { traffic.cluster.machine.adapter(0).reset(400_us); });
    traffic.run();
    EXPECT_TRUE(traffic.outcome.ok());
    EXPECT_EQ(traffic.received, Traffic::messages);
    EXPECT_EQ(traffic.whole, 1);
    EXPECT_EQ(traffic.cluster.machine.adapter(0).sender().ways_changed(), 0U);
}

// Others lose patience, as with any cable that is dead for long.
TEST(Elan3Resets, OneThatStaysAwayIsOutOfReach) {
    Traffic traffic;
    traffic.cluster.engine.schedule(Time::at(52_us),
                                    [&] { traffic.cluster.machine.adapter(1).reset(400_us); });
    traffic.run();
    EXPECT_EQ(traffic.outcome, Code::timed_out);
    EXPECT_LT(traffic.received, Traffic::messages);
}

TEST(Elan3Resets, LeaveTheTranslationBufferCold) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        const Event done = process.make_event();
        const auto put = [&] {
            process.put(1 - process.self(), 0, 0, 0, {.source = done.address});
            EXPECT_TRUE(process.wait(done).ok());
            process.prime(done);
            process.spend(10_us);
        };
        put();
        const std::uint64_t walks = process.adapter().chip().mmu.walks();
        put();
        EXPECT_EQ(process.adapter().chip().mmu.walks(), walks);
        process.adapter().reset(1_us);
        process.spend(10_us);
        put();
        EXPECT_GT(process.adapter().chip().mmu.walks(), walks);
        process.engine().sleep_until(Time::at(200_us));
    });
}

}  // namespace
}  // namespace railyard::elan3
