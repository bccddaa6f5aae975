// Collectives of ranks that share nodes: what crosses the network.

#include <gtest/gtest.h>

#include <numeric>

#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/memory_job.hpp"

namespace railyard::mpi {
namespace {

TEST(Nodes, AreNoneIfAllShareOneOrNobodyShares) {
    const std::vector<std::uint32_t> one = {7, 7, 7};
    const std::vector<std::uint32_t> own = {3, 2, 1};
    EXPECT_FALSE(Nodes::of(one));
    EXPECT_FALSE(Nodes::of(own));
}

TEST(Nodes, AreNumberedByTheirFirstRanks) {
    const std::vector<std::uint32_t> names = {9, 4, 9, 4, 5};
    const auto nodes = Nodes::of(names);
    ASSERT_TRUE(nodes);
    EXPECT_EQ(nodes->count(), 3);
    EXPECT_EQ(nodes->node_of(3), 1);
    EXPECT_EQ(nodes->members(0), (std::vector{0, 2}));
    EXPECT_EQ(nodes->place_of(3), 1);
    EXPECT_FALSE(nodes->are_in_order());
    const std::vector<std::uint32_t> in_a_row = {9, 9, 4, 4, 5};
    EXPECT_TRUE(Nodes::of(in_a_row)->are_in_order());
}

/// Twelve ranks on three nodes, in a row or in turn.
class ByNode : public testing::TestWithParam<bool> {
  protected:
    static constexpr int ranks = 12;
    static constexpr std::size_t nodes = 3;

    /// Messages of one collective between nodes.
    static std::size_t crossings(const std::function<void(Team&)>& collective) {
        MemoryJob::Options options;
        options.ranks = ranks;
        for (int rank = 0; rank < ranks; ++rank)
            options.nodes.push_back(static_cast<std::uint32_t>(GetParam() ? rank / 4 : rank % 3));
        MemoryJob job(options);
        job.run(collective);
        return job.totals().between_nodes;
    }
    static Buffer longs(std::vector<std::uint64_t>& values, std::size_t count = 1) {
        return {values.data(), count, predefined(Basic::uint64).get()};
    }
};

TEST_P(ByNode, ABroadcastReachesEachOtherNodeOnce) {
    for (const int root : {0, 5, 11})
        EXPECT_EQ(crossings([&](Team& team) {
                      std::vector<std::uint64_t> data(1, team.rank() == root ? 42 : 0);
                      bcast(team, longs(data), root);
                      EXPECT_EQ(data[0], 42U);
                  }),
                  nodes - 1)
            << root;
}

TEST_P(ByNode, ABarrierTakesTheMessagesOfTheLeaders) {
    MemoryJob::Options of_leaders;
    of_leaders.ranks = static_cast<int>(nodes);
    MemoryJob leaders(of_leaders);
    leaders.run([](Team& team) { barrier(team); });
    EXPECT_EQ(crossings([](Team& team) { barrier(team); }), leaders.totals().messages);
}

TEST_P(ByNode, AReductionTakesOneMessageANode) {
    for (const int root : {0, 5, 11})
        EXPECT_EQ(crossings([&](Team& team) {
                      std::vector<std::uint64_t> data(1, static_cast<std::uint64_t>(team.rank()));
                      std::vector<std::uint64_t> sum(1);
                      reduce(team, longs(data), longs(sum), *predefined(Operation::Kind::sum),
                             root);
                      if (team.rank() == root) {
                          EXPECT_EQ(sum[0], 66U);
                      }
                  }),
                  nodes - 1)
            << root;
}

TEST_P(ByNode, AnAllreduceTakesThatOfTheLeaders) {
    MemoryJob::Options of_leaders;
    of_leaders.ranks = static_cast<int>(nodes);
    MemoryJob leaders(of_leaders);
    const auto add_up = [](Team& team) {
        std::vector<std::uint64_t> sum(1, 1);
        allreduce(team, in_place(), longs(sum), *predefined(Operation::Kind::sum));
        EXPECT_EQ(sum[0], static_cast<std::uint64_t>(team.size()));
    };
    leaders.run(add_up);
    EXPECT_EQ(crossings(add_up), leaders.totals().messages);
}

TEST_P(ByNode, AnAllgatherCarriesEachNodesBlocksTogether) {
    const std::size_t messages = crossings([](Team& team) {
        std::vector<std::uint64_t> own(1, static_cast<std::uint64_t>(team.rank()));
        std::vector<std::uint64_t> all(ranks, 99);
        allgather(team, longs(own), longs(all));
        std::vector<std::uint64_t> expected(ranks);
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(all, expected);
    });
    if (GetParam()) {
        EXPECT_LE(messages, 2 * nodes);
    }
}

TEST_P(ByNode, AGatherAndAScatterTakeOneMessageANode) {
    for (const int root : {0, 5, 11}) {
        EXPECT_EQ(crossings([&](Team& team) {
                      std::vector<std::uint64_t> own(1, static_cast<std::uint64_t>(team.rank()));
                      std::vector<std::uint64_t> all(ranks, 99);
                      gather(team, longs(own), longs(all), root);
                      std::vector<std::uint64_t> expected(ranks, 99);
                      if (team.rank() == root) std::iota(expected.begin(), expected.end(), 0);
                      EXPECT_EQ(all, expected);
                  }),
                  nodes - 1)
            << root;
        EXPECT_EQ(crossings([&](Team& team) {
                      std::vector<std::uint64_t> own(1, 99);
                      std::vector<std::uint64_t> all(ranks);
                      std::iota(all.begin(), all.end(), 0);
                      scatter(team, longs(all), longs(own), root);
                      EXPECT_EQ(own[0], static_cast<std::uint64_t>(team.rank()));
                  }),
                  nodes - 1)
            << root;
    }
}

TEST_P(ByNode, AnAlltoallTakesThatOfTheLeaders) {
    EXPECT_EQ(crossings([](Team& team) {
                  std::vector<std::uint64_t> out(ranks);
                  std::vector<std::uint64_t> in(ranks, 99);
                  const auto of = [](int from, int to) {
                      return static_cast<std::uint64_t>(100 * from + to);
                  };
                  for (int i = 0; i < ranks; ++i)
                      out[static_cast<std::size_t>(i)] = of(team.rank(), i);
                  alltoall(team, longs(out), longs(in));
                  for (int i = 0; i < ranks; ++i)
                      EXPECT_EQ(in[static_cast<std::size_t>(i)], of(i, team.rank()));
              }),
              nodes * (nodes - 1));
}

/// With two ranks a node, a leader saves too little.
TEST(ByNodeChoice, OfAnAlltoallWantsThreeRanksANode) {
    for (const int on_a_node : {2, 3}) {
        MemoryJob::Options options;
        options.ranks = 12;
        for (int rank = 0; rank < options.ranks; ++rank)
            options.nodes.push_back(static_cast<std::uint32_t>(rank / on_a_node));
        MemoryJob job(options);
        job.run([&](Team& team) {
            EXPECT_EQ(choose(Collective::alltoall, team, 8) == Algorithm::by_node, on_a_node == 3);
            EXPECT_EQ(choose(Collective::gather, team, 8), Algorithm::by_node);
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ByNode, testing::Bool(),
                         [](const auto& info) { return info.param ? "InARow" : "InTurn"; });

}  // namespace
}  // namespace railyard::mpi
