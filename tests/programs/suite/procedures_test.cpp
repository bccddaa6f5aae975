// Every procedure on our own library in virtual time, where two runs give the same samples.

#include <algorithm>

#include "programs/suite/measured.hpp"

namespace railyard::suite {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Parameters = std::map<std::string, std::string>;

std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const suite_experiment& each : procedures())
        names.emplace_back(each.name);
    return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

class EveryProcedure : public testing::TestWithParam<std::string> {};

TEST_P(EveryProcedure, GivesTheSameSamplesTwice) {
    const std::vector<long long> sizes = {64, 16384};
    for (const char* const fabric : {"ideal", "infiniband-pcie"}) {
        const auto first = measure(fabric, GetParam(), sizes);
        EXPECT_THAT(first, Not(IsEmpty()));
        EXPECT_EQ(first, measure(fabric, GetParam(), sizes)) << fabric;
        for (const Measured& row : first) {
            EXPECT_THAT(row.samples, Each(Ge(0))) << testing::PrintToString(row);
            EXPECT_THAT(row.samples, Not(IsEmpty()));
        }
    }
}

TEST_P(EveryProcedure, LeavesNothingUnderWay) {
    // A message or a receive left over would be met by the second call, and that by Finalize.
    const auto once = measure("ideal", GetParam(), {64});
    EXPECT_THAT(measure("ideal", GetParam(), {64}, {.times = 2}), SizeIs(2 * once.size()));
}

TEST_P(EveryProcedure, RunsWithRanksThatOnlyLookOn) {
    const auto pair = measure("ideal", GetParam(), {64});
    const auto more = measure("ideal", GetParam(), {64}, {.ranks = 3});
    ASSERT_THAT(more, SizeIs(pair.size()));
    if (procedure(GetParam()).most_ranks == 2) {
        EXPECT_EQ(more[0].parameters, pair[0].parameters);
    }
}

INSTANTIATE_TEST_SUITE_P(Suite, EveryProcedure, testing::ValuesIn(names()), test_name);

TEST(Procedures, SayWhatTheyAre) {
    for (const suite_experiment& each : procedures()) {
        EXPECT_NE(std::string(each.summary), "") << each.name;
        EXPECT_GE(each.least_ranks, 1) << each.name;
        EXPECT_EQ(procedure(each.experiment).experiment, std::string(each.experiment)) << each.name;
    }
}

TEST(Latency, IsThereForAnEmptyMessageAndGrows) {
    const auto rows = measure("infiniband-pcie", "mpi-latency", {0, 65536});
    ASSERT_THAT(rows, SizeIs(2));
    EXPECT_EQ(rows[0].unit, "us");
    EXPECT_EQ(rows[0].parameters, (Parameters{{"message_bytes", "0"}}));
    EXPECT_THAT(rows[0].samples, ElementsAre(Gt(1), Gt(1)));
    EXPECT_GT(value(rows, "latency", {{"message_bytes", "65536"}}),
              2 * value(rows, "latency", {{"message_bytes", "0"}}));
}

class Bandwidth : public testing::TestWithParam<std::string> {};

TEST_P(Bandwidth, GrowsWithTheMessageAndKeepsBelowTheWire) {
    const auto rows = measure("infiniband-pcie", GetParam(), {0, 64, 65536});
    ASSERT_THAT(rows, SizeIs(2)) << "an empty message has no bandwidth";
    EXPECT_THAT(rows, Each(Field(&Measured::unit, "MB/s")));
    EXPECT_GT(rows[1].samples[0], 2 * rows[0].samples[0]);
    EXPECT_LT(rows[1].samples[0], 4000);
}

INSTANTIATE_TEST_SUITE_P(Suite, Bandwidth,
                         testing::Values("mpi-bandwidth-uni", "mpi-bandwidth-uni-multiport",
                                         "mpi-bandwidth-bi-multiport", "mpi-bandwidth-pingpong",
                                         "mpi-bandwidth-bothway"),
                         test_name);

TEST(Bandwidths, OfBothWaysAreSums) {
    const Parameters large = {{"message_bytes", "65536"}, {"window", "8"}};
    const double one =
        value(measure("infiniband-pcie", "mpi-bandwidth-uni", {65536}), "bandwidth", large);
    for (const char* const name : {"mpi-bandwidth-bothway", "mpi-bandwidth-bi-multiport"})
        EXPECT_GT(value(measure("infiniband-pcie", name, {65536}), "bandwidth_aggregate", large),
                  1.2 * one)
            << name;
}

TEST(LogP, HasThreeNumbersForASize) {
    const auto rows = measure("infiniband-pcie", "mpi-logp", {1, 65536});
    ASSERT_THAT(rows, SizeIs(6));
    for (const char* const metric : {"gap", "sender_overhead", "receiver_overhead"}) {
        EXPECT_GE(value(rows, metric, {{"message_bytes", "1"}}), 0) << metric;
        EXPECT_GT(value(rows, metric, {{"message_bytes", "65536"}}), 0) << metric;
    }
    EXPECT_GT(value(rows, "gap", {{"message_bytes", "65536"}}),
              value(rows, "gap", {{"message_bytes", "1"}}));
}

// PR-7: where the receiver's calls alone drive a rendezvous, it has not begun when the call is
// made.
TEST(LogP, ARendezvousWaitsForTheReceiveCall) {
    const auto rows = measure("infiniband-pcie", "mpi-logp", {1, 262144});
    const double transfer =
        value(measure("infiniband-pcie", "mpi-latency", {262144}), "latency", {});
    EXPECT_GT(value(rows, "receiver_overhead", {{"message_bytes", "262144"}}), transfer / 2);
    EXPECT_LT(value(rows, "sender_overhead", {{"message_bytes", "262144"}}), transfer / 2);
}

// RC-1.
TEST(BufferReuse, OfBuffersThatAreNewCosts) {
    const auto rows = measure("infiniband-pcie", "mpi-buffer-reuse", {65536});
    ASSERT_THAT(rows, SizeIs(3));
    EXPECT_GT(value(rows, "latency", {{"reuse_percent", "0"}}),
              value(rows, "latency", {{"reuse_percent", "100"}}));
    EXPECT_GT(value(rows, "latency_ratio_noreuse_to_reuse", {{"message_bytes", "65536"}}), 1);
}

TEST(BufferReuse, HasNoMoreIterationsThanBuffers) {
    // With more, some buffers would be used again, and cost less.
    const auto ratio = [](int iterations) {
        return value(measure("infiniband-pcie", "mpi-buffer-reuse", {65536},
                             {.iterations = iterations, .buffers = 4}),
                     "latency_ratio_noreuse_to_reuse", {});
    };
    EXPECT_NEAR(ratio(100), ratio(2), 0.02 * ratio(2));
}

class Queue : public testing::TestWithParam<std::string> {};

// PR-5: 50 entries at 0.1 us each are passed over for every message. A part of that may hide behind
// the way of the message.
TEST_P(Queue, IsSearchedFromItsBeginning) {
    const auto rows = measure(
        "infiniband-pcie", GetParam(), {8},
        {.settings = {
             {"matching", "list"}, {"posted-entry", "100 ns"}, {"unexpected-entry", "100 ns"}}});
    ASSERT_THAT(rows, SizeIs(3));
    const double empty = value(rows, "latency", {{"queue", "0"}});
    const double full = value(rows, "latency", {{"queue", "50"}});
    EXPECT_GT(full - empty, 2.5);
    EXPECT_LT(full - empty, 10);
    EXPECT_NEAR(value(rows, "latency_ratio_full_to_empty", {{"queue", "50"}}), full / empty, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Suite, Queue, testing::Values("mpi-unexpected-queue", "mpi-receive-queue"),
                         test_name);

TEST(Mvich, HasOneSampleSoThatTheFirstMessageCounts) {
    const auto rows = measure("clan-via", "mvich-latency-bandwidth", {64});
    ASSERT_THAT(rows, SizeIs(2));
    EXPECT_EQ(rows[0].metric, "latency");
    EXPECT_THAT(rows[0].samples, SizeIs(1));
    // The same ping-pong, connected before.
    EXPECT_GT(rows[0].samples[0], value(measure("clan-via", "mpi-latency", {64}), "latency",
                                        {{"message_bytes", "64"}}));
    EXPECT_EQ(rows[1].metric, "bandwidth");
}

TEST(Collectives, SayWhichAndHowMany) {
    const auto rows = measure("infiniband-pcie", "reduce-latency", {6, 1024}, {.ranks = 4});
    ASSERT_THAT(rows, SizeIs(2));
    EXPECT_EQ(
        rows[1].parameters,
        (Parameters{{"collective", "reduce"}, {"processes", "4"}, {"message_bytes", "1024"}}));
    EXPECT_EQ(procedure("reduce-latency").experiment, std::string("allreduce-latency"));
    const auto barrier = measure("infiniband-pcie", "barrier-latency", {8, 64}, {.ranks = 4});
    ASSERT_THAT(barrier, SizeIs(1)) << "a barrier has no sizes";
    EXPECT_THAT(barrier[0].samples, Each(Gt(0)));
}

TEST(InitTime, IsTheMeanOverRanks) {
    const auto rows = measure("clan-via", "mpi-init-time", {}, {.ranks = 4});
    ASSERT_THAT(rows, SizeIs(1));
    EXPECT_EQ(rows[0].metric, "init_time");
    EXPECT_EQ(rows[0].parameters, (Parameters{{"processes", "4"}}));
    EXPECT_THAT(rows[0].samples, ElementsAre(Ge(0)));
}

}  // namespace
}  // namespace railyard::suite
