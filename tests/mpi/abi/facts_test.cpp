// What calls are about, as watches read it from raw arguments.

#include "mpi/calls/facts.hpp"

#include <map>
#include <vector>

#include "mpi/abi/on_ranks.hpp"
#include "mpi/calls/parameters.hpp"

namespace railyard::mpi {
namespace {

using calls::absent;
using calls::CallFacts;
using calls::Function;

/// Keeps the facts of the last call of each function.
class Reading final : public calls::CallWatch {
  public:
    void began(const calls::HandleResolver& resolver) override { resolver_ = &resolver; }
    void entered(Function function, std::span<const calls::Word> arguments) override {
        if (resolver_ != nullptr)
            facts[function] = calls::facts_of(function, arguments, *resolver_);
    }
    void left(Function) override {}
    void finalised(const Counters&) override { resolver_ = nullptr; }

    std::map<Function, CallFacts> facts;

  private:
    const calls::HandleResolver* resolver_ = nullptr;
};

/// What the ranks' calls were about.
std::vector<Reading> facts_of_ranks(int ranks, const std::function<void(int rank)>& program) {
    std::vector<Reading> read(static_cast<std::size_t>(ranks));
    job::Options options;
    options.fabric = "ideal";
    options.ranks = ranks;
    const job::Result result = job::run(options, [&](job::Rank& rank) {
        calls::watch_calls(&read[static_cast<std::size_t>(rank.id())]);
        MPI_Init(nullptr, nullptr);
        program(rank.id());
        MPI_Finalize();
    });
    EXPECT_TRUE(result.ok) << result.failure;
    return read;
}

TEST(CallFacts, OfMessagesNameWorldRanksAndBytes) {
    int request = 0;
    auto read = facts_of_ranks(4, [&](int rank) {
        // Ranks 3, 2, 1, 0.
        MPI_Comm turned = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
        double data[8] = {};
        int block[6] = {};
        if (rank == 0) MPI_Send(data, 5, MPI_DOUBLE, 0, 7, turned);
        if (rank == 3) {
            MPI_Request own = MPI_REQUEST_NULL;
            MPI_Irecv(data, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, turned, &own);
            request = own;
            MPI_Waitall(1, &own, MPI_STATUSES_IGNORE);
        }
        MPI_Sendrecv_replace(block, 6, MPI_INT, (rank + 1) % 4, 1, (rank + 3) % 4, 1,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_free(&turned);
    });
    const CallFacts send = read[0].facts.at(Function::Send);
    EXPECT_EQ(send.send.peer, 3);
    EXPECT_EQ(send.send.tag, 7);
    EXPECT_EQ(send.send.bytes, 40U);
    EXPECT_EQ(send.receive.peer, absent);
    EXPECT_NE(send.context, 0U);
    const CallFacts receive = read[3].facts.at(Function::Irecv);
    EXPECT_EQ(receive.receive.peer, MPI_ANY_SOURCE);
    EXPECT_EQ(receive.receive.tag, MPI_ANY_TAG);
    EXPECT_EQ(receive.receive.bytes, 64U);
    EXPECT_EQ(receive.context, send.context);
    EXPECT_EQ(receive.requests.size(), 1U);
    EXPECT_EQ(read[3].facts.at(Function::Waitall).requests.size(), 1U);
    const CallFacts both = read[1].facts.at(Function::Sendrecv_replace);
    EXPECT_EQ(both.send.peer, 2);
    EXPECT_EQ(both.receive.peer, 0);
    EXPECT_EQ(both.send.tag, 1);
    EXPECT_EQ(both.receive.tag, 1);
    EXPECT_EQ(both.send.bytes, 24U);
    EXPECT_EQ(both.receive.bytes, 24U);
}

TEST(CallFacts, OfCollectivesAddUpWhatEachRankGives) {
    auto read = facts_of_ranks(3, [](int rank) {
        const int counts[] = {1, 2, 3};
        const int places[] = {0, 1, 3};
        int mine[3] = {};
        int all[6] = {};
        // Who is not the root may give anything for the counts.
        MPI_Gatherv(mine, rank + 1, MPI_INT, all, rank == 1 ? counts : nullptr,
                    rank == 1 ? places : nullptr, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Allreduce(mine, all, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        int out_counts[] = {1, 1, 1};
        int offsets[] = {0, 8, 16};
        MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
        char from[32] = {};
        char to[32] = {};
        MPI_Datatype own[] = {types[rank], types[rank], types[rank]};
        MPI_Alltoallw(from, out_counts, offsets, types, to, out_counts, offsets, own,
                      MPI_COMM_WORLD);
    });
    EXPECT_EQ(read[1].facts.at(Function::Gatherv).receive.bytes, 24U);
    EXPECT_EQ(read[1].facts.at(Function::Gatherv).root, 1);
    EXPECT_EQ(read[0].facts.at(Function::Gatherv).receive.bytes, 0U);
    EXPECT_EQ(read[2].facts.at(Function::Gatherv).send.bytes, 12U);
    const CallFacts reduce = read[0].facts.at(Function::Allreduce);
    EXPECT_EQ(reduce.send.bytes, 12U);
    EXPECT_EQ(reduce.receive.bytes, 12U);
    EXPECT_EQ(reduce.op, MPI_SUM);
    EXPECT_EQ(reduce.root, absent);
    EXPECT_EQ(read[0].facts.at(Function::Alltoallw).send.bytes, 13U);
    EXPECT_EQ(read[1].facts.at(Function::Alltoallw).receive.bytes, 24U);
}

TEST(CallFacts, OfNeighbourhoodsCountNeighbours) {
    auto read = facts_of_ranks(4, [](int) {
        const int size = 4;
        const int open = 0;
        MPI_Comm line = MPI_COMM_NULL;
        MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
        const int counts[] = {2, 3};
        const int places[] = {0, 2};
        int from[5] = {};
        int to[5] = {};
        const int back[] = {3, 2};
        MPI_Neighbor_alltoallv(from, counts, places, MPI_INT, to, back, places, MPI_INT, line);
        MPI_Comm_free(&line);
    });
    EXPECT_EQ(read[1].facts.at(Function::Neighbor_alltoallv).send.bytes, 20U);
}

TEST(CallFacts, OfOneSidedCallsNameTheTarget) {
    auto read = facts_of_ranks(2, [](int rank) {
        std::int64_t memory[2] = {};
        std::int64_t one = 1;
        std::int64_t old = 0;
        MPI_Win window = MPI_WIN_NULL;
        MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_fence(0, window);
        MPI_Put(&one, 1, MPI_INT64_T, 1 - rank, 0, 1, MPI_INT64_T, window);
        MPI_Win_fence(0, window);
        MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 1 - rank, 1, MPI_SUM, window);
        MPI_Win_fence(0, window);
        MPI_Win_free(&window);
    });
    EXPECT_EQ(read[0].facts.at(Function::Put).send.peer, 1);
    EXPECT_EQ(read[0].facts.at(Function::Put).send.bytes, 8U);
    EXPECT_EQ(read[1].facts.at(Function::Fetch_and_op).send.peer, 0);
    EXPECT_EQ(read[1].facts.at(Function::Fetch_and_op).receive.bytes, 8U);
}

TEST(CallFacts, TheTableKnowsEachParameter) {
    const auto send = calls::parameters(Function::Send);
    ASSERT_EQ(send.size(), 6U);
    EXPECT_EQ(send[0].kind, calls::Kind::in);
    EXPECT_EQ(send[3].kind, calls::Kind::dest);
    EXPECT_EQ(send[3].name, "dest");
    EXPECT_EQ(calls::parameters(Function::Waitall)[1].kind, calls::Kind::requests);
    EXPECT_EQ(calls::parameters(Function::Alltoallv_c)[1].kind, calls::Kind::wide_counts);
    EXPECT_TRUE(calls::parameters(Function::Finalize).empty());
    EXPECT_EQ(calls::chapter(Function::Ibcast), calls::Chapter::nonblocking_collectives);
    EXPECT_EQ(calls::chapter(Function::Win_fence), calls::Chapter::window_synchronisation);
}

}  // namespace
}  // namespace railyard::mpi
