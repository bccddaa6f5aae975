// What a library's own work costs in virtual time, where its settings say so, and what they switch.

#include <gtest/gtest.h>

#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

using namespace literals;

/// The time of one small message there and one back, on an interconnect that costs nothing itself
/// but latency.
Duration round_trip(const std::string& fabric, const Change& change,
                    const std::function<void(World&)>& prepare = {}) {
    Duration taken;
    const job::Result result = run_world(
        fabric, 2,
        [&](World& w) {
            const std::vector<std::byte> data(8);
            std::vector<std::byte> room(8);  // the same each time: a fresh one may take longer
            const auto exchange = [&] {
                if (w.rank() == 0) w.send(data, 1, 1);
                Status status;
                w.process.receive({room.data(), room.size(), &World::bytes()}, 1 - w.rank(), 1,
                                  w.comm, &status);
                if (w.rank() == 1) w.send(data, 0, 1);
            };
            exchange();
            if (prepare) prepare(w);
            exchange();
            const Time start = w.process.host().now();
            exchange();
            if (w.rank() == 0) taken = w.process.host().now() - start;
        },
        change);
    EXPECT_TRUE(result.ok) << result.failure;
    return taken;
}

class Overheads : public testing::TestWithParam<const char*> {};

TEST_P(Overheads, AMessageTakesLongerByWhatIsOnItsWay) {
    const Duration base = round_trip(GetParam(), {});
    EXPECT_EQ(round_trip(GetParam(), [](Settings& s) { s.send_overhead = 2_us; }), base + 4_us);
    EXPECT_EQ(round_trip(GetParam(), [](Settings& s) { s.receive_overhead = 3_us; }), base + 6_us);
}

TEST_P(Overheads, WhatIsDoneWhileItTravelsCostsNothingInAPingPong) {
    const Duration base = round_trip(GetParam(), {});
    EXPECT_EQ(round_trip(GetParam(),
                         [](Settings& s) {
                             s.send_rest = 300_ns;
                             s.receive_start = 200_ns;
                         }),
              base);
}

INSTANTIATE_TEST_SUITE_P(On, Overheads, testing::Values("infiniband-pcie", "quadrics"),
                         [](const auto& instance) {
                             return std::string(instance.param).substr(0, 8);
                         });

// An RTS and the CTS are handled one after the other (PR-1).
TEST(Rendezvous, TakesLongerByItsTwoSteps) {
    const auto time_of_message = [](Duration overhead) {
        Duration taken;
        const job::Result result = run_world(
            "infiniband-pcie", 2,
            [&](World& w) {
                std::vector<std::byte> data(100'000);
                for (int i = 0; i < 2; ++i) {  // the first one registers and makes the rails
                    w.process.rank().bootstrap().fence();
                    const Time start = w.process.host().now();
                    if (w.rank() == 0) {
                        w.process.send(ConstBuffer(data.data(), data.size(), World::bytes()), 1, 1,
                                       w.comm);
                        continue;
                    }
                    w.process.receive({data.data(), data.size(), &World::bytes()}, 0, 1, w.comm,
                                      nullptr);
                    taken = w.process.host().now() - start;
                }
            },
            [&](Settings& s) {
                s.bulk = Way::write;
                s.rendezvous_overhead = overhead;
            });
        EXPECT_TRUE(result.ok) << result.failure;
        return taken;
    };
    EXPECT_EQ(time_of_message(5_us), time_of_message({}) + 10_us);
}

// A small message is the port's when it is posted; the sender does not wait for its completion.
TEST(TaggedPorts, TakeSmallMessagesOverAtOnce) {
    Duration call;
    Duration way;
    const job::Result result = run_world("mx10g-myrinet", 2, [&](World& w) {
        const std::vector<std::byte> data(8);
        w.process.rank().bootstrap().fence();
        const Time start = w.process.host().now();
        if (w.rank() == 0) {
            w.send(data, 1, 1);
            call = w.process.host().now() - start;
        } else {
            w.receive(8, 0, 1);
            way = w.process.host().now() - start;
        }
    });
    EXPECT_TRUE(result.ok) << result.failure;
    EXPECT_GT(call, Duration{});
    EXPECT_LT(2 * call, way);
}

TEST(SharedMemory, IsLeftAloneWhereThatIsAskedFor) {
    for (const bool wanted : {true, false}) {
        const job::Result result = run_world(
            "shm", 2,
            [&](World& w) {
                if (w.process.circumstances().has_hub != wanted) throw Error("not as asked");
            },
            [&](Settings& s) { s.shared_memory = wanted; });
        EXPECT_TRUE(result.ok) << result.failure;
    }
}

// PR-5: each entry that is passed over costs its time.
TEST(Searching, CostsWhatEachEntryOfEitherQueueCosts) {
    constexpr int n = 100;
    const auto list = [](Settings& s) {
        s.matching = Matching::list;
        s.posted_entry = 10_ns;
        s.unexpected_entry = 1_us;
    };
    const auto post = [](World& w) {
        static thread_local std::byte sink[1];
        for (int i = 0; i < n; ++i)
            w.process.free_when_done(
                w.process.start_receive({sink, 1, &World::bytes()}, 1 - w.rank(), 9, w.comm));
    };
    const Duration posted = round_trip("infiniband-pcie", list, [&](World& w) { post(w); });
    const Duration none = round_trip("infiniband-pcie", list);
    EXPECT_EQ(posted - none, 2 * n * 10_ns);

    const auto flood = [](World& w) {
        for (int i = 0; i < n; ++i)
            w.send(std::vector<std::byte>(1), 1 - w.rank(), 9);
    };
    const Duration kept = round_trip("infiniband-pcie", list, flood);
    // Looking begins when the receive is asked for, and a message's time to travel hides in it.
    EXPECT_GT(kept, n * 1_us);
}

}  // namespace
}  // namespace railyard::mpi
