// Whom a rank talks to, and how often it waits: what connections and switches of processes cost.

#include <gtest/gtest.h>

#include "mpi/collectives/area.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/memory_job.hpp"

namespace railyard::mpi {
namespace {

constexpr const char* as_in_the_paper =
    "barrier=pairwise,bcast=binomial,allreduce=reduce-bcast,allgather=ring,alltoall=pairwise";

MemoryJob::Options paper(int ranks) {
    MemoryJob::Options options;
    options.ranks = ranks;
    options.algorithms = parse_algorithms(as_in_the_paper);
    return options;
}

Buffer longs(std::vector<std::uint64_t>& values, std::size_t count) {
    return {values.data(), count, predefined(Basic::uint64).get()};
}

/// Table 2 of wu02, on demand (vi-count): ranks, and partners on average.
class TableTwo : public testing::TestWithParam<int> {
  protected:
    int ranks() const { return GetParam(); }
    int log() const { return ranks() == 16 ? 4 : 5; }
    /// The paper's programs have a barrier beside what they are named after.
    double partners_of(const std::function<void(Team&)>& program) const {
        MemoryJob job(paper(ranks()));
        job.run([&](Team& team) {
            barrier(team);
            program(team);
        });
        return job.average_partners();
    }
};

TEST_P(TableTwo, Barrier) {
    EXPECT_EQ(partners_of([](Team&) {}), log());
}

TEST_P(TableTwo, Bcast) {
    EXPECT_EQ(partners_of([](Team& team) {
                  std::vector<std::uint64_t> data(1);
                  bcast(team, longs(data, 1), 0);
              }),
              log());
}

TEST_P(TableTwo, Allreduce) {
    EXPECT_EQ(partners_of([](Team& team) {
                  std::vector<std::uint64_t> data(1);
                  allreduce(team, in_place(), longs(data, 1), *predefined(Operation::Kind::sum));
              }),
              log());
}

TEST_P(TableTwo, Allgather) {
    EXPECT_EQ(partners_of([](Team& team) {
                  std::vector<std::uint64_t> data(static_cast<std::size_t>(team.size()));
                  allgather(team, in_place(), longs(data, 1));
              }),
              log() + 1);
}

TEST_P(TableTwo, Alltoall) {
    EXPECT_EQ(partners_of([](Team& team) {
                  std::vector<std::uint64_t> out(static_cast<std::size_t>(team.size()));
                  std::vector<std::uint64_t> in(static_cast<std::size_t>(team.size()));
                  alltoall(team, longs(out, 1), longs(in, 1));
              }),
              ranks() - 1);
}

INSTANTIATE_TEST_SUITE_P(Ranks, TableTwo, testing::Values(16, 32));

// vi-count: "Without the barrier the tree alone would average only 1.9."
TEST(Partners, OfATreeAlone) {
    MemoryJob job(paper(16));
    job.run([](Team& team) {
        std::vector<std::uint64_t> data(1);
        bcast(team, longs(data, 1), 0);
    });
    EXPECT_DOUBLE_EQ(job.average_partners(), 2 * 15.0 / 16);
}

TEST(Partners, OfFoldedRanksInAPairwiseBarrier) {
    // 36 ranks: those from 32 on speak to one each, who speaks for them.
    MemoryJob job(paper(36));
    job.run(barrier);
    EXPECT_EQ(job.totals().partners[35], std::set<int>{3});
    EXPECT_EQ(job.totals().partners[3].size(), 6U);
    EXPECT_EQ(job.totals().partners[4].size(), 5U);
}

MemoryJob::Options crowded_job(int ranks) {
    MemoryJob::Options options;
    options.ranks = ranks;
    options.circumstances = {.shares_cores = true, .one_node = true};
    options.buffered = true;
    return options;
}

// Each wait is a switch of processes where ranks share cores.
TEST(Waits, AreAtMostOneARankWhereCoresAreShared) {
    MemoryJob job(crowded_job(16));
    job.run([](Team& team) {
        std::vector<std::uint64_t> data(1);
        allreduce(team, in_place(), longs(data, 1), *predefined(Operation::Kind::sum));
    });
    for (const std::size_t waits : job.totals().waits)
        EXPECT_LE(waits, 1U);
    MemoryJob another(crowded_job(16));
    another.run(barrier);
    for (const std::size_t waits : another.totals().waits)
        EXPECT_LE(waits, 1U);
}

TEST(Waits, OfLargeDataAreAtMostOneOnACrowdedNode) {
    constexpr std::size_t each = 10'000;
    MemoryJob job(crowded_job(16));
    job.run([](Team& team) {
        std::vector<std::uint64_t> data(each, 7);
        bcast(team, longs(data, each), 3);
    });
    for (const std::size_t waits : job.totals().waits)
        EXPECT_LE(waits, 1U);
    MemoryJob another(crowded_job(16));
    another.run([](Team& team) {
        std::vector<std::uint64_t> data(16 * each);
        allgather(team, in_place(), longs(data, each));
    });
    for (const std::size_t waits : another.totals().waits)
        EXPECT_LE(waits, 1U);
}

TEST(Waits, AreTwoForLeadersOfManyRanks) {
    MemoryJob job(crowded_job(200));
    job.run(barrier);
    std::size_t most_partners = 0;
    for (std::size_t i = 0; i < 200; ++i) {
        EXPECT_LE(job.totals().waits[i], 2U);
        most_partners = std::max(most_partners, job.totals().partners[i].size());
    }
    EXPECT_LE(most_partners, 30U);
}

// 1 KiB from each of 256 ranks to each other: 30 partners in place of 255, for twice the bytes.
TEST(Partners, OfALargeAlltoallAreFew) {
    constexpr int ranks = 256;
    constexpr std::size_t each = 128;
    MemoryJob::Options options;
    options.ranks = ranks;
    MemoryJob job(options);
    std::size_t wrong = 0;
    job.run([&](Team& team) {
        std::vector<std::uint64_t> out(ranks * each);
        std::vector<std::uint64_t> in(ranks * each);
        const auto rank = static_cast<std::uint64_t>(team.rank());
        for (std::size_t to = 0; to < ranks; ++to)
            out[to * each] = out[to * each + each - 1] = rank << 32 | to;
        alltoall(team, longs(out, each), longs(in, each));
        for (std::uint64_t from = 0; from < ranks; ++from)
            if (in[from * each] != (from << 32 | rank) ||
                in[from * each + each - 1] != (from << 32 | rank))
                ++wrong;
    });
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(job.totals().messages, 30U * ranks);
    EXPECT_EQ(job.average_partners(), 30);
    EXPECT_LE(job.totals().bytes, 2UL * ranks * ranks * each * sizeof(std::uint64_t));
}

}  // namespace
}  // namespace railyard::mpi
