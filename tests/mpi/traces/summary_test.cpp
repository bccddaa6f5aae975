// Summaries of programs whose answers are known.

#include "mpi/traces/summary.hpp"

#include <gmock/gmock.h>

#include <map>

#include "mpi/traces/recorded.hpp"
#include "results/json.hpp"

namespace railyard::mpi::traces {
namespace {

using ::testing::HasSubstr;

TEST(Summary, MatrixIsWhatWasSent) {
    // Rank r sends r + 1 messages of 100 bytes times that to the next, and one of 4 KiB to rank 0.
    constexpr int ranks = 4;
    const Summary summary = summarise(
        recorded(ranks, [](int rank, fabric::Host&) {
            std::vector<char> memory(4096);
            const int next = (rank + 1) % ranks;
            const int previous = (rank + ranks - 1) % ranks;
            std::vector<MPI_Request> requests;
            const auto receive = [&](int from, int n) {
                for (int i = 0; i < n; ++i) {
                    requests.push_back(MPI_REQUEST_NULL);
                    MPI_Irecv(memory.data(), 4096, MPI_CHAR, from, MPI_ANY_TAG, MPI_COMM_WORLD,
                              &requests.back());
                }
            };
            receive(previous, previous + 1);
            if (rank == 0)
                for (int from = 1; from < ranks; ++from)
                    receive(from, 1);
            std::vector<char> out(4096);
            for (int i = 0; i <= rank; ++i)
                MPI_Send(out.data(), 100 * (rank + 1), MPI_CHAR, next, 0, MPI_COMM_WORLD);
            if (rank > 0) MPI_Send(out.data(), 1024, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
            MPI_Barrier(MPI_COMM_WORLD);
        }).run);
    std::map<std::pair<int, int>, std::pair<std::uint64_t, std::uint64_t>> found;
    for (const Pair& pair : summary.pairs)
        if (pair.users.messages > 0)
            found[{pair.from, pair.to}] = {pair.users.messages, pair.users.bytes};
    const decltype(found) expected = {
        {{0, 1}, {1, 100}},  {{1, 2}, {2, 400}},
        {{2, 3}, {3, 900}},  {{3, 0}, {4 + 1, 1600 + 4096}},
        {{1, 0}, {1, 4096}}, {{2, 0}, {1, 4096}},
    };
    EXPECT_EQ(found, expected);
    std::map<std::uint64_t, std::uint64_t> sizes;
    for (const SizeClass& size : summary.sizes)
        sizes[size.least] = size.amount.messages;
    EXPECT_EQ(sizes,
              (std::map<std::uint64_t, std::uint64_t>{{64, 1}, {128, 2}, {256, 7}, {4096, 3}}));
    // A barrier's own messages are apart from the user's.
    std::uint64_t librarys = 0;
    for (const Pair& pair : summary.pairs)
        librarys += pair.librarys.messages;
    EXPECT_EQ(librarys, 8U);  // two rounds of pairwise exchange
}

/// The one wait of this kind that is longer than a microsecond.
WaitPair only_wait(const Summary& summary) {
    std::vector<WaitPair> long_ones;
    for (const WaitPair& wait : summary.waits)
        if (wait.lost > Duration::us(1)) long_ones.push_back(wait);
    EXPECT_EQ(long_ones.size(), 1U);
    return long_ones.empty() ? WaitPair{} : long_ones.front();
}

TEST(Summary, ALateSenderIsBlamedForWhatTheReceiverLost) {
    const auto late_by = [](int how) {
        return summarise(
            recorded(2, [how](int rank, fabric::Host& host) {
                int value = 0;
                if (rank == 0) {
                    host.compute(Duration::ms(5));
                    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
                } else if (how == 0) {
                    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                } else {
                    MPI_Request request = MPI_REQUEST_NULL;
                    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
                    // Half of it is not lost: the receiver computes as well.
                    host.compute(Duration::us(2500));
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                }
            }).run);
    };
    const WaitPair blocking = only_wait(late_by(0));
    EXPECT_EQ(blocking.why, Wait::Why::late_sender);
    EXPECT_EQ(blocking.rank, 1);
    EXPECT_EQ(blocking.by, 0);
    EXPECT_NEAR(blocking.lost.microseconds(), 5000, 1);
    EXPECT_NEAR(only_wait(late_by(1)).lost.microseconds(), 2500, 1);
    const Summary summary = late_by(0);
    EXPECT_NEAR(summary.ranks[1].late_sender.microseconds(), 5000, 1);
    EXPECT_NEAR(summary.ranks[0].caused.microseconds(), 5000, 1);
    EXPECT_NEAR(summary.ranks[0].computing.microseconds(), 5000, 1);
    EXPECT_NEAR(summary.imbalance(), 2, 0.01);
}

TEST(Summary, ALateReceiverIsBlamedForWhatTheSenderLost) {
    const WaitPair wait = only_wait(
        summarise(recorded(2, [](int rank, fabric::Host& host) {
                      int value = 0;
                      if (rank == 0) {
                          MPI_Ssend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
                      } else {
                          host.compute(Duration::ms(3));
                          MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                      }
                  }).run));
    EXPECT_EQ(wait.why, Wait::Why::late_receiver);
    EXPECT_EQ(wait.rank, 0);
    EXPECT_EQ(wait.by, 1);
    EXPECT_NEAR(wait.lost.microseconds(), 3000, 10);
}

TEST(Summary, TheLastInACollectiveIsBlamed) {
    const Summary summary = summarise(recorded(4, [](int rank, fabric::Host& host) {
                                          // Two groups of one context, of which one is late.
                                          MPI_Comm half = MPI_COMM_NULL;
                                          MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
                                          if (rank == 3) host.compute(Duration::ms(2));
                                          int value = 1;
                                          int sum = 0;
                                          MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
                                          MPI_Comm_free(&half);
                                      }).run);
    const WaitPair wait = only_wait(summary);
    EXPECT_EQ(wait.why, Wait::Why::collective);
    EXPECT_EQ(wait.rank, 2);
    EXPECT_EQ(wait.by, 3);
    EXPECT_NEAR(wait.lost.microseconds(), 2000, 1);
    ASSERT_EQ(summary.collectives.size(), 1U);
    EXPECT_EQ(summary.collectives[0].function, "MPI_Allreduce");
    EXPECT_EQ(summary.collectives[0].algorithm, "recursive-doubling");
    EXPECT_EQ(summary.collectives[0].calls, 4U);
    EXPECT_NEAR(summary.collectives[0].waited.microseconds(), 2000, 1);
}

TEST(Summary, PollsInARowAreOneRecordAndCounted) {
    std::uint64_t polls = 0;
    const RunRecord run = recorded(2, [&](int rank, fabric::Host& host) {
                              int value = 0;
                              if (rank == 0) {
                                  host.compute(Duration::ms(1));
                                  MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
                                  return;
                              }
                              for (int found = 0; found == 0; ++polls) {
                                  // Half-way, the rank computes: the polls are two rows then.
                                  if (polls == 3000) host.compute(Duration::us(100));
                                  MPI_Iprobe(0, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
                              }
                              MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                          }).run;
    EXPECT_GT(polls, 5000U);
    EXPECT_EQ(run.ranks[1].calls.size(), 5U);  // with MPI_Init, MPI_Recv and MPI_Finalize
    for (const FunctionTime& function : summarise(run).functions) {
        if (function.function != "MPI_Iprobe") continue;
        EXPECT_EQ(function.calls, polls);
        EXPECT_NEAR(function.time.microseconds(), 900, 5);
    }
}

TEST(Summary, TextAndJsonSayTheSame) {
    const Summary summary =
        summarise(recorded(40, [](int rank, fabric::Host&) {
                      const char out = 0;
                      char in = 0;
                      MPI_Sendrecv(&out, 1, MPI_CHAR, (rank + 1) % 40, 0, &in, 1, MPI_CHAR,
                                   (rank + 39) % 40, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                  }).run);
    const auto json = results::Json::parse(json_of(summary));
    EXPECT_EQ(json["ranks"], 40);
    EXPECT_EQ(json["messages"].size(), 40U);
    EXPECT_EQ(json["messages"][7]["to"], 8);
    const std::string text = text_of(summary);
    EXPECT_THAT(text, HasSubstr("40 ranks on 40 hosts"));
    // More ranks than a screen has columns are put together: rows of three.
    EXPECT_THAT(text, HasSubstr("from 0-2 "));
    EXPECT_THAT(text, HasSubstr("MPI_Sendrecv"));
}

}  // namespace
}  // namespace railyard::mpi::traces
