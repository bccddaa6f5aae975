// Which algorithm is chosen when.

#include <gmock/gmock.h>

#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/combining.hpp"
#include "mpi/collectives/memory_job.hpp"

namespace railyard::mpi {
namespace {

using ::testing::Contains;

constexpr Circumstances crowded{.shares_cores = true, .one_node = true};
constexpr std::size_t sizes[] = {0, 1, 8, 100, 1'024, 5'000, 100'000, 1'000'000, 100'000'000};

TEST(Choice, IsAlwaysSomethingThatThereIsAndThatServes) {
    for (std::size_t i = 0; i < collective_count; ++i)
        for (const int ranks : {1, 2, 3, 8, 13, 16, 64, 100, 1'000, 1'024})
            for (const std::size_t bytes : sizes)
                for (const bool shares : {false, true})
                    for (const bool commutes : {false, true}) {
                        const auto collective = static_cast<Collective>(i);
                        const Situation at{ranks, bytes, {shares, shares}, commutes};
                        const Algorithm chosen = choose(collective, at);
                        EXPECT_THAT(algorithms_of(collective), Contains(chosen));
                        EXPECT_TRUE(serves(collective, chosen, at));
                    }
}

TEST(Choice, HasFewWaitsForSmallMessagesWhereCoresAreShared) {
    for (const Collective collective : {Collective::barrier, Collective::allreduce})
        EXPECT_EQ(choose(collective, {16, 8, crowded}), Algorithm::flat) << name(collective);
    for (const Collective collective : {Collective::bcast, Collective::reduce})
        EXPECT_EQ(choose(collective, {16, 8, crowded}), Algorithm::tree) << name(collective);
    for (const Collective collective :
         {Collective::barrier, Collective::bcast, Collective::reduce, Collective::allreduce})
        EXPECT_EQ(choose(collective, {200, 8, crowded}), Algorithm::tree) << name(collective);
}

TEST(Choice, IsStraightForLargeMessagesOnACrowdedNode) {
    EXPECT_EQ(choose(Collective::bcast, {16, 1'000'000, crowded}), Algorithm::flat);
    EXPECT_EQ(choose(Collective::allgather, {16, 1'000'000, crowded}), Algorithm::linear);
    EXPECT_EQ(choose(Collective::allgatherv, {16, 1'000'000, crowded}), Algorithm::linear);
    constexpr Circumstances several_nodes{.shares_cores = true, .one_node = false};
    EXPECT_EQ(choose(Collective::bcast, {16, 1'000'000, several_nodes}), Algorithm::scatter_ring);
    EXPECT_EQ(choose(Collective::allgather, {16, 1'000'000, several_nodes}), Algorithm::ring);
}

TEST(Choice, GoesThroughMemoryWhereCoresAreShared) {
    constexpr Circumstances with_hub{.shares_cores = true, .one_node = true, .has_hub = true};
    constexpr Circumstances with_both{
        .shares_cores = true, .one_node = true, .has_hub = true, .has_wide_hub = true};
    for (const Collective collective :
         {Collective::barrier, Collective::bcast, Collective::gather, Collective::scatter,
          Collective::allgather, Collective::alltoall, Collective::reduce, Collective::allreduce})
        EXPECT_EQ(choose(collective, {16, 64, with_hub}), Algorithm::shared) << name(collective);
    for (const Collective collective :
         {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather}) {
        EXPECT_NE(choose(collective, {16, 100'000, with_hub}), Algorithm::shared)
            << name(collective);
        EXPECT_EQ(choose(collective, {16, 100'000, with_both}), Algorithm::shared)
            << name(collective);
    }
    EXPECT_EQ(choose(Collective::alltoall, {16, 1'000, with_both}), Algorithm::shared);
    EXPECT_EQ(choose(Collective::alltoall, {16, 100'000, with_both}), Algorithm::linear);
    EXPECT_NE(choose(Collective::barrier, {1, 0, with_both}), Algorithm::shared) << "alone";
}

TEST(Choice, IsToMeetForLongSumsOfTwo) {
    constexpr Circumstances apart{.one_node = true, .has_hub = true, .has_wide_hub = true};
    EXPECT_EQ(choose(Collective::allreduce, {2, 100'000, apart}), Algorithm::shared);
    EXPECT_NE(choose(Collective::allreduce, {2, 64, apart}), Algorithm::shared);
    EXPECT_NE(choose(Collective::allreduce, {3, 100'000, apart}), Algorithm::shared);
}

TEST(Choice, IsToReadDirectlyWhatIsLong) {
    constexpr Circumstances apart{.one_node = true, .has_hub = true, .reads_directly = true};
    for (const Collective collective :
         {Collective::bcast, Collective::allgather, Collective::alltoall}) {
        EXPECT_EQ(choose(collective, {2, 65'536, apart}), Algorithm::direct) << name(collective);
        EXPECT_NE(choose(collective, {2, 1'024, apart}), Algorithm::direct) << name(collective);
        EXPECT_NE(choose(collective, {3, 65'536, apart}), Algorithm::direct) << name(collective);
    }
    EXPECT_EQ(choose(Collective::reduce, {2, 65'536, apart}), Algorithm::direct);
    EXPECT_NE(choose(Collective::reduce, {2, 1'024, apart}), Algorithm::direct);
    EXPECT_FALSE(serves(Collective::reduce, Algorithm::direct, {3, 65'536, apart}));
    constexpr Circumstances crowded_too{.shares_cores = true,
                                        .one_node = true,
                                        .has_hub = true,
                                        .has_wide_hub = true,
                                        .reads_directly = true};
    EXPECT_EQ(choose(Collective::alltoall, {16, 65'536, crowded_too}), Algorithm::direct);
    EXPECT_EQ(choose(Collective::alltoall, {16, 1'024, crowded_too}), Algorithm::shared);
    EXPECT_EQ(choose(Collective::allgather, {16, 65'536, crowded_too}), Algorithm::shared);
    EXPECT_EQ(choose(Collective::bcast, {16, 65'536, crowded_too}), Algorithm::shared);
}

TEST(Choice, IsByNodeForSmallDataWhereNodesAreShared) {
    constexpr Circumstances in_order{.shares_nodes = true, .nodes_in_order = true};
    constexpr Circumstances in_turn{.shares_nodes = true};
    for (const Collective collective : {Collective::barrier, Collective::bcast, Collective::reduce,
                                        Collective::allreduce, Collective::allgather})
        EXPECT_EQ(choose(collective, {64, 8, in_order}), Algorithm::by_node) << name(collective);
    EXPECT_EQ(choose(Collective::allreduce, {64, 8, in_turn}), Algorithm::by_node);
    EXPECT_NE(choose(Collective::allreduce, {64, 8, in_turn, false}), Algorithm::by_node)
        << "in another order than that of ranks";
    EXPECT_NE(choose(Collective::allgather, {64, 8, in_turn}), Algorithm::by_node);
    EXPECT_NE(choose(Collective::allreduce, {64, 1'000'000, in_order}), Algorithm::by_node);
    for (const Collective collective :
         {Collective::gather, Collective::scatter, Collective::alltoall}) {
        EXPECT_EQ(choose(collective, {64, 8, in_turn}), Algorithm::by_node) << name(collective);
        EXPECT_NE(choose(collective, {64, 8}), Algorithm::by_node) << name(collective);
        EXPECT_NE(choose(collective, {64, 10'000, in_order}), Algorithm::by_node)
            << name(collective);
    }
    EXPECT_EQ(choose(Collective::alltoall, {64, 100, in_order}), Algorithm::bruck)
        << "a leader would copy too much";
    EXPECT_EQ(choose(Collective::alltoall, {256, 8, in_order}), Algorithm::bruck);
}

TEST(Choice, OfALargeReductionOnACrowdedNodeHasFewWaits) {
    EXPECT_EQ(choose(Collective::allreduce, {16, 1'000'000, crowded}), Algorithm::linear);
    EXPECT_EQ(choose(Collective::reduce, {16, 100'000, crowded}), Algorithm::flat);
    EXPECT_EQ(choose(Collective::reduce, {16, 1'000'000, crowded}), Algorithm::binomial);
    EXPECT_EQ(choose(Collective::allreduce, {2, 1'000'000}), Algorithm::linear)
        << "nothing is copied first";
}

TEST(Choice, OfABarrierHasFewPartners) {
    EXPECT_EQ(choose(Collective::barrier, {16}), Algorithm::pairwise);
    EXPECT_EQ(choose(Collective::barrier, {13}), Algorithm::dissemination);
}

TEST(Choice, GoesFromFewMessagesToFewBytesAsDataGrow) {
    EXPECT_EQ(choose(Collective::bcast, {16, 8}), Algorithm::binomial);
    EXPECT_EQ(choose(Collective::bcast, {16, 200'000}), Algorithm::scatter_doubling);
    EXPECT_EQ(choose(Collective::bcast, {8, 10'000'000}), Algorithm::chain);
    EXPECT_EQ(choose(Collective::allreduce, {16, 8}), Algorithm::recursive_doubling);
    EXPECT_EQ(choose(Collective::allreduce, {16, 100'000}), Algorithm::rabenseifner);
    EXPECT_EQ(choose(Collective::allgather, {16, 8}), Algorithm::recursive_doubling);
    EXPECT_EQ(choose(Collective::allgather, {13, 8}), Algorithm::bruck);
    EXPECT_EQ(choose(Collective::allgather, {13, 100'000}), Algorithm::ring);
    EXPECT_EQ(choose(Collective::alltoall, {64, 8}), Algorithm::bruck);
    EXPECT_EQ(choose(Collective::alltoall, {64, 16'384}), Algorithm::linear);
    EXPECT_EQ(choose(Collective::alltoall, {64, 1'000'000}), Algorithm::pairwise);
}

TEST(Choice, OfABruckRadixBalancesMessagesAgainstBytes) {
    EXPECT_EQ(bruck_radix(1024, 1024, {}), 32);
    EXPECT_EQ(bruck_radix(1024, 1'000'000, {}), 1024);
    EXPECT_LT(bruck_radix(1024, 1, {}), 32);
    int last = 2;
    for (const std::size_t bytes : sizes) {
        const int radix = bruck_radix(1000, bytes, {});
        EXPECT_GE(radix, last) << bytes;
        last = radix;
    }
}

TEST(Choice, OfAUserIsKeptIfItServes) {
    EXPECT_FALSE(serves(Collective::allreduce, Algorithm::ring, {16, 8, {}, false}));
    EXPECT_TRUE(serves(Collective::allreduce, Algorithm::ring, {16, 8, {}, true}));
    EXPECT_TRUE(serves(Collective::allgather, Algorithm::ring, {16, 8, {}, false}));
    EXPECT_FALSE(
        serves(Collective::reduce_scatter, Algorithm::recursive_halving, {16, 8, {}, false}));
}

/// Messages that an allreduce takes among 8 ranks.
std::size_t messages(const char* wish, bool commutes) {
    MemoryJob::Options options;
    options.ranks = 8;
    options.algorithms = parse_algorithms(wish);
    MemoryJob job(options);
    const Operation operation = user_operation(add, commutes);
    job.run([&](Team& team) {
        std::vector<Two> data(8);
        allreduce(team, in_place(), {data.data(), 8, types_of_two_longs()[0].get()}, operation);
    });
    return job.totals().messages;
}

TEST(Choice, OfAUserIsFollowed) {
    EXPECT_EQ(messages("", true), 8U * 3);
    EXPECT_EQ(messages("allreduce=ring", true), 8U * 14);
    EXPECT_EQ(messages("allreduce=ring", false), messages("", false));
    EXPECT_EQ(messages("allreduce=reduce-bcast", true), 2U * 7);
    EXPECT_EQ(messages("allreduce=rabenseifner", false), 8U * 6);
}

}  // namespace
}  // namespace railyard::mpi
