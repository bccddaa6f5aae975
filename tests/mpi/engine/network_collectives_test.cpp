// Barriers and broadcasts of communicators, by the network where it can and by messages else.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mpi/collectives/collectives.hpp"
#include "mpi/engine/world.hpp"
#include "mpi/types/constructors.hpp"

namespace railyard::mpi {
namespace {

struct Case {
    const char* what;
    std::vector<fabric::NodeId> nodes;  ///< of the ranks
    bool by_network = false;            ///< for the communicator of all
};

void PrintTo(const Case& one, std::ostream* out) {
    *out << one.what;
}

class NetworkBroadcasts : public testing::TestWithParam<Case> {
  protected:
    static int ranks() { return static_cast<int>(GetParam().nodes.size()); }
    static void run(const std::function<void(World&)>& body, const Change& change = {}) {
        job::Options options;
        options.fabric = "quadrics";
        options.ranks = ranks();
        options.nodes = GetParam().nodes;
        const job::Result result =
            job::run(options, [&](job::Rank& rank) { run_rank(rank, body, change); });
        EXPECT_TRUE(result.ok) << result.failure;
    }
};

INSTANTIATE_TEST_SUITE_P(Places, NetworkBroadcasts,
                         testing::Values(Case{"range", {0, 1, 2, 3, 4, 5, 6}, true},
                                         Case{"range_elsewhere", {5, 6, 7, 8}, true},
                                         Case{"two_ranks", {3, 4}, true},
                                         Case{"two_on_a_node", {0, 0, 1, 1, 2, 2}},
                                         Case{"gap", {0, 1, 3, 4}}, Case{"turned", {3, 2, 1, 0}}),
                         [](const auto& each) { return std::string(each.param.what); });

void broadcast_once(World& w, Team& team, std::size_t size, int root, unsigned seed) {
    const std::vector<std::byte> right = pattern(size, seed);
    std::vector<std::byte> data = team.rank() == root ? right : std::vector<std::byte>(size);
    bcast(team, as_buffer(std::span(data)), root);
    expect(data == right, fmt::format("wrong bytes: {} of rank {}", size, root));
    expect(!team.disagreed(), "lengths are said to differ");
    w.process.host().compute(Duration::us(static_cast<int>((seed * 5 + 3U * seed) % 11)));
}

TEST_P(NetworkBroadcasts, BringAllBytesFromEveryRoot) {
    run([](World& w) {
        const auto team = w.process.make_team(w.comm);
        unsigned seed = 0;
        for (const std::size_t size : {1, 3, 64, 2040, 2041, 10'000, 1 << 20})
            for (int root = 0; root < w.size(); ++root)
                broadcast_once(w, *team, size, root, ++seed);
    });
}

TEST_P(NetworkBroadcasts, GoBesideMessagesAndBarriers) {
    run([](World& w) {
        const auto team = w.process.make_team(w.comm);
        const int next = (w.rank() + 1) % w.size();
        const int before = (w.rank() + w.size() - 1) % w.size();
        for (unsigned round = 0; round < 12; ++round) {
            const std::vector<std::byte> out = pattern(5000, round);
            std::vector<std::byte> in(out.size());
            Request& receive =
                w.process.start_receive({in.data(), in.size(), &World::bytes()}, before, 1, w.comm);
            Request& send = w.process.start_send(
                ConstBuffer(out.data(), out.size(), World::bytes()), next, 1, w.comm);
            broadcast_once(w, *team, 3000 * round % 10'000 + 1, static_cast<int>(round) % w.size(),
                           round);
            if (round % 3 == 0) barrier(*team);
            w.process.wait(send);
            w.process.wait(receive);
            expect(in == out, "a wrong message");
            w.process.release(send);
            w.process.release(receive);
        }
    });
}

/// Messages that the job sends in so many broadcasts, after the first ones.
std::uint64_t messages_of(const std::function<void(const std::function<void(World&)>&)>& run) {
    std::uint64_t messages = 0;
    run([&](World& w) {
        const auto team = w.process.make_team(w.comm);
        for (unsigned i = 0; i < 3; ++i)
            broadcast_once(w, *team, 100, 0, i);
        const std::uint64_t before = w.process.counters().tagged_sent;
        for (unsigned i = 0; i < 10; ++i)
            broadcast_once(w, *team, 100, 0, i);
        messages += w.process.counters().tagged_sent - before;
    });
    return messages;
}

TEST_P(NetworkBroadcasts, SendNoMessagesWhereTheNetworkCan) {
    const auto as_it_is = [](const auto& body) { run(body); };
    const auto without = [](const auto& body) {
        run(body, [](Settings& s) { s.network_broadcast = false; });
    };
    const auto by_chain = [](const auto& body) {
        run(body, [](Settings& s) { s.algorithms = "bcast=chain"; });
    };
    const auto all = 10U * static_cast<unsigned>(ranks() - 1);
    EXPECT_EQ(messages_of(as_it_is), GetParam().by_network ? 0 : all);
    EXPECT_EQ(messages_of(without), all);
    EXPECT_EQ(messages_of(by_chain), all);
}

// Halves, of which both are ranges where all are, and every second rank, which is none.
TEST_P(NetworkBroadcasts, AreRightInPartsOfTheWorld) {
    run([](World& w) {
        std::vector<int> half;
        std::vector<int> every_second;
        for (int rank = 0; rank < w.size(); ++rank) {
            if ((rank < w.size() / 2) == (w.rank() < w.size() / 2)) half.push_back(rank);
            if (rank % 2 == w.rank() % 2) every_second.push_back(rank);
        }
        Communicator halves(w.process, 2, Group(half));
        Communicator seconds(w.process, 4, Group(every_second));
        const auto in_half = w.process.make_team(halves);
        const auto in_seconds = w.process.make_team(seconds);
        const auto in_all = w.process.make_team(w.comm);
        for (unsigned round = 0; round < 9; ++round)
            for (Team* const team : {in_half.get(), in_seconds.get(), in_all.get()})
                broadcast_once(w, *team, 1500 * round + 1, static_cast<int>(round) % team->size(),
                               round);
        barrier(*in_all);  // nobody's part goes while others use it
    });
}

// Data with gaps between them.
TEST_P(NetworkBroadcasts, PackWhatIsNotInOneRow) {
    run([](World& w) {
        const auto team = w.process.make_team(w.comm);
        const auto type = vector(1000, 1, 2, predefined(Basic::c_int));
        for (int round = 0; round < 4; ++round) {
            std::vector<int> data(2000, w.rank() == 1 ? round : -1);
            bcast(*team, Buffer{data.data(), 1, type.get()}, 1);
            for (std::size_t i = 0; i < data.size(); ++i)
                expect(data[i] == (i % 2 == 0 || w.rank() == 1 ? round : -1), "a wrong number");
        }
    });
}

// As messages do: who has another length than the root hears of it, and the next one is right.
TEST_P(NetworkBroadcasts, TellOfLengthsThatDiffer) {
    if (!GetParam().by_network) GTEST_SKIP() << "by messages: tested with them";
    run([](World& w) {
        const auto team = w.process.make_team(w.comm);
        for (unsigned i = 0; i < 3; ++i)
            broadcast_once(w, *team, 100, 0, i);
        std::vector<std::byte> data(w.rank() == 0 ? 9000 : 5000);
        bcast(*team, as_buffer(std::span(data)), 0);
        expect(team->disagreed() == (w.rank() != 0), "not told of a length");
        broadcast_once(w, *team, 100, 0, 7);
    });
}

}  // namespace
}  // namespace railyard::mpi
