// What a VI costs: memory, time to make and to end, one of few. The statements of
// mech.via-connections.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

using testing::HasSubstr;

/// A profile like cLAN's, but for what is said here: its path.
std::string like_clan(const std::string& name, const std::string& rest) {
    const auto path = std::filesystem::temp_directory_path() / (name + ".toml");
    std::ofstream(path) << "extends = \"clan-via\"\nname = \"" << name << "\"\n" << rest;
    return path.string();
}

/// Memory of a rank that is connected to everybody from the start.
std::uint64_t bytes_for_peers(const std::string& fabric, int ranks) {
    std::uint64_t bytes = 0;
    const job::Result result = run_world(
        fabric, ranks,
        [&](World& w) {
            expect(w.process.counters().connections == static_cast<std::uint64_t>(ranks - 1),
                   "not everybody is connected");
            expect(w.process.counters().pinned_most == w.process.counters().peer_bytes,
                   "something else is pinned");
            if (w.rank() == 0) bytes = w.process.counters().peer_bytes;
        },
        [](Settings& s) {
            s.connections = Connections::static_peer;
            s.watched_rings = 0;
        });
    EXPECT_TRUE(result.ok) << result.failure;
    return bytes;
}

// VC-6: a VI has receives and buffers of its own, so memory is what one takes, times their number.
// Where receives are shared, it is the same for any number.
TEST(Memory, GrowsWithTheNumberOfVisExactly) {
    for (const char* fabric : {"clan-via", "berkeley-via"}) {
        const std::uint64_t one = bytes_for_peers(fabric, 2);
        EXPECT_GT(one, 0U);
        EXPECT_EQ(bytes_for_peers(fabric, 7), 6 * one) << fabric;
        EXPECT_EQ(bytes_for_peers(fabric, 16), 15 * one) << fabric;
        EXPECT_EQ(bytes_for_peers(fabric, 32), 31 * one) << fabric;
    }
    EXPECT_EQ(bytes_for_peers("infiniband-pcie", 7), bytes_for_peers("infiniband-pcie", 2));
}

// Where receives are a connection's own, a packet that finds none breaks it. Credits must be right
// to the last, whoever floods whom, and whether packets that only return credits are under way.
TEST(OwnReceives, AreThereForWhateverMayCome) {
    for (const std::uint32_t credits : {2u, 3u, 5u, 16u})
        for (const bool both_ways : {false, true}) {
            const job::Result result = run_world(
                "clan-via", 4,
                [both_ways](World& w) {
                    constexpr int n = 300;
                    std::vector<Request*> sends;
                    const auto data = pattern(3000, 1);
                    const bool is_sender = both_ways || w.rank() % 2 == 0;
                    if (is_sender)
                        for (int i = 0; i < n; ++i)
                            for (int peer = 0; peer < 4; ++peer)
                                if (peer != w.rank())
                                    sends.push_back(&w.process.start_send(
                                        ConstBuffer(data.data(), i % 50 == 7 ? 3000U : 9U,
                                                    World::bytes()),
                                        peer, 1, w.comm));
                    w.process.host().compute(Duration::us(w.rank() * 300));
                    for (int i = 0; i < n; ++i)
                        for (int peer = 0; peer < 4; ++peer)
                            if (peer != w.rank() && (both_ways || peer % 2 == 0))
                                w.receive(3000, peer, 1);
                    for (Request* send : sends) {
                        w.process.wait(*send);
                        w.process.release(*send);
                    }
                },
                [credits](Settings& s) {
                    s.watched_rings = 0;
                    s.credits = credits;
                });
            EXPECT_TRUE(result.ok) << credits << " credits: " << result.failure;
        }
}

// With fewer rings than peers, one side of a connection may have a ring to offer and the other not:
// then both use send/receive, and whoever posted no receives yet grants its credits later.
TEST(OwnReceives, AreGrantedWhereOnlyOneSideHasARing) {
    for (const Connections policy :
         {Connections::on_demand, Connections::static_peer, Connections::static_client_server}) {
        const job::Result result = run_world(
            "clan-via", 7,
            [](World& w) {
                for (int distance = 1; distance < 7; ++distance)
                    for (int round = 0; round < 30; ++round) {
                        const auto out = pattern(200, static_cast<unsigned>(w.rank()));
                        std::vector<std::byte> in(200);
                        const int from = (w.rank() + 7 - distance) % 7;
                        w.process.exchange(
                            ConstBuffer(out.data(), 200, World::bytes()), (w.rank() + distance) % 7,
                            1, {in.data(), 200, &World::bytes()}, from, 1, w.comm, nullptr);
                        expect(in == pattern(200, static_cast<unsigned>(from)), "wrong bytes");
                    }
            },
            [policy](Settings& s) {
                s.connections = policy;
                s.watched_rings = 2;
            });
        EXPECT_TRUE(result.ok) << result.failure;
    }
}

// wu02: how many VIs there may be is a hard limit. Who would pass it is told so, and what to do.
TEST(Limit, OfVisIsAnErrorThatNamesTheRemedy) {
    const std::string fabric = like_clan("few-vis", "[connection]\nqueue_pairs = 4\n");
    const auto failure = [&](Connections policy, int partners, std::uint32_t bound = 0) {
        return run_world(
                   fabric, 8,
                   [partners](World& w) {
                       for (int i = 1; i <= partners; ++i) {
                           if (w.rank() == 0) w.send(pattern(4, 1), i, 1);
                           if (w.rank() == i) w.receive(4, 0, 1);
                       }
                   },
                   [policy, bound](Settings& s) {
                       s.connections = policy;
                       s.max_connections = bound;
                   })
            .failure;
    };
    EXPECT_EQ(failure(Connections::on_demand, 4), "");
    EXPECT_THAT(failure(Connections::on_demand, 5),
                AllOf(HasSubstr("cannot connect to rank 5: few-vis lets a process have 4"),
                      HasSubstr("--max-connections"), HasSubstr("connection.queue_pairs")));
    EXPECT_EQ(failure(Connections::on_demand, 7, 4), "");
    EXPECT_THAT(failure(Connections::static_peer, 0),
                AllOf(HasSubstr("rank 5: few-vis lets a process have 4"), HasSubstr("on-demand")));
}

/// How long a rank of four, connected to all from the start, takes to begin and to end.
struct BeginningAndEnd {
    Duration beginning;
    Duration end;
};
BeginningAndEnd beginning_and_end(const std::string& fabric) {
    BeginningAndEnd times;
    job::Options options;
    options.fabric = fabric;
    options.ranks = 4;
    const job::Result result = job::run(options, [&](job::Rank& rank) {
        Settings settings = Settings::from_environment(rank.nic().traits());
        settings.connections = Connections::static_peer;
        fabric::Host& host = rank.host();
        Process process(rank, settings);
        const Time begun = host.now();
        host.compute(Duration::ms(1));
        const Time before = host.now();
        process.finalize();
        if (rank.id() == 0) times = {begun.since_start(), host.now() - before};
    });
    EXPECT_TRUE(result.ok) << result.failure;
    return times;
}

// VC-8: each step of a VI's life goes through the system: to make it, to connect it, to disconnect
// it, to give it back. Three peers take each of them three times.
TEST(Steps, OfAVisLifeCostWhatTheProfileSays) {
    const auto with = [&](const std::string& name, const std::string& step) {
        const char* const steps[] = {"create_queue_pair", "connect", "disconnect",
                                     "destroy_queue_pair"};
        std::string text = "[host]\n";
        for (const char* const each : steps)
            text += std::string(each) + " = \"" + (step == each ? "100 us" : "0 us") + "\"\n";
        return beginning_and_end(like_clan(name, text));
    };
    const BeginningAndEnd none = with("vi-free", "");
    const BeginningAndEnd create = with("vi-create", "create_queue_pair");
    const BeginningAndEnd connect = with("vi-connect", "connect");
    const BeginningAndEnd disconnect = with("vi-disconnect", "disconnect");
    const BeginningAndEnd destroy = with("vi-destroy", "destroy_queue_pair");
    const Duration thrice = Duration::us(300);
    EXPECT_EQ(create.beginning - none.beginning, thrice);
    EXPECT_EQ(connect.beginning - none.beginning, thrice);
    EXPECT_EQ(disconnect.beginning, none.beginning);
    EXPECT_EQ(destroy.beginning, none.beginning);
    EXPECT_EQ(create.end, none.end);
    EXPECT_EQ(disconnect.end - none.end, thrice);
    EXPECT_EQ(destroy.end - none.end, thrice);
}

// wu02: to end a job that is fully connected takes long, too; on demand only what was used is
// ended.
TEST(Steps, ToEndTakeLongerWithMoreVis) {
    const auto end = [](Connections policy) {
        Duration time;
        job::Options options;
        options.fabric = "clan-via";
        options.ranks = 16;
        const job::Result result = job::run(options, [&](job::Rank& rank) {
            Settings settings = Settings::from_environment(rank.nic().traits());
            settings.connections = policy;
            settings.watched_rings = 0;
            Process process(rank, settings);
            rank.host().compute(Duration::ms(1));
            const Time before = rank.host().now();
            process.finalize();
            if (rank.id() == 0) time = rank.host().now() - before;
        });
        EXPECT_TRUE(result.ok) << result.failure;
        return time;
    };
    EXPECT_EQ(end(Connections::on_demand), Duration());
    EXPECT_EQ(end(Connections::static_peer), Duration::us(15 * (30 + 10)));  // as the profile says
}

// wu02, figure 5: MPI_Init takes time on demand as well. The process manager tells each process of
// all others before any connection can be asked for; who does not say what that takes, pays
// nothing.
TEST(Start, LearnsTheAddressOfEachProcess) {
    const auto start = [](Duration each, int ranks) {
        Duration time;
        job::Options options;
        options.fabric = "clan-via";
        options.ranks = ranks;
        const job::Result result = job::run(options, [&](job::Rank& rank) {
            Settings settings = Settings::from_environment(rank.nic().traits());
            settings.address_exchange = each;
            Process process(rank, settings);
            if (rank.id() == 0) time = rank.host().now().since_start();
            process.finalize();
        });
        EXPECT_TRUE(result.ok) << result.failure;
        return time;
    };
    EXPECT_EQ(start({}, 16), Duration());
    EXPECT_EQ(start(Duration::us(7), 16), Duration::us(16 * 7));
    EXPECT_EQ(start(Duration::us(7), 3), Duration::us(3 * 7));
}

}  // namespace
}  // namespace railyard::mpi
