// What --check finds of messages, on every transport: a port whose adapter matches has no header of
// ours, and must carry the number of a message's description all the same.

#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using ::testing::HasSubstr;

class CheckedMessages : public testing::TestWithParam<FabricAndKind> {
  protected:
    static job::Result run(int ranks, const std::function<void(int rank)>& body) {
        job::Options options = options_for(GetParam(), ranks);
        options.settings["mpi"] = {{"check", "on"}};
        return job::run(options, [&](job::Rank&) {
            MPI_Init(nullptr, nullptr);
            int rank = -1;
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            body(rank);
            MPI_Finalize();
        });
    }
};

INSTANTIATE_TEST_SUITE_P(Transports, CheckedMessages,
                         testing::Values(FabricAndKind{real_fabric(), job::Kind::threads},
                                         FabricAndKind{"ideal", job::Kind::fibers},
                                         FabricAndKind{"infiniband-pcix", job::Kind::fibers},
                                         FabricAndKind{"quadrics", job::Kind::fibers},
                                         FabricAndKind{"mx10g-myrinet", job::Kind::fibers}),
                         fabric_name);

/// Of two reals and an integer, or the other way round.
MPI_Datatype record_type(bool turned) {
    const int lengths[] = {turned ? 1 : 2, turned ? 2 : 1};
    const MPI_Aint places[] = {0, turned ? 4 : 16};
    const MPI_Datatype types[] = {turned ? MPI_INT : MPI_DOUBLE, turned ? MPI_DOUBLE : MPI_INT};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    return type;
}

TEST_P(CheckedMessages, OfOtherTypesAreTold) {
    for (const int n : {1, 10'000})
        for (const int source : {1, MPI_ANY_SOURCE}) {
            const job::Result result = run(2, [&](int rank) {
                MPI_Datatype type = record_type(rank == 0);
                std::vector<char> data(static_cast<std::size_t>(n) * 24);
                if (rank == 1)
                    MPI_Send(data.data(), n, type, 0, 7, MPI_COMM_WORLD);
                else
                    MPI_Recv(data.data(), n, type, source, MPI_ANY_TAG, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
                MPI_Type_free(&type);
            });
            EXPECT_FALSE(result.ok);
            EXPECT_THAT(
                result.failure,
                HasSubstr("types do not match: rank 1 called MPI_Send(count " + std::to_string(n) +
                          ", a type of 2 MPI_DOUBLE, MPI_INT, dest 0, tag 7, "
                          "MPI_COMM_WORLD), rank 0 called MPI_Recv(count "));
        }
}

TEST_P(CheckedMessages, InPartitionsOfOtherTypesAreTold) {
    for (const bool is_wrong : {false, true}) {
        const job::Result result = run(2, [&](int rank) {
            MPI_Datatype type = record_type(is_wrong && rank == 0);
            std::vector<char> data(24 * 12);
            MPI_Request request = MPI_REQUEST_NULL;
            if (rank == 1)
                MPI_Psend_init(data.data(), 3, 4, type, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &request);
            else
                MPI_Precv_init(data.data(), 2, 6, type, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &request);
            MPI_Start(&request);
            if (rank == 1) MPI_Pready_range(0, 2, request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
            MPI_Type_free(&type);
        });
        EXPECT_EQ(result.ok, !is_wrong) << result.failure;
        if (is_wrong) {
            EXPECT_THAT(result.failure,
                        HasSubstr("types do not match: rank 1 called MPI_Psend_init(partitions 3, "
                                  "count 4, a type of 2 MPI_DOUBLE, MPI_INT, dest 0, tag 7, "
                                  "MPI_COMM_WORLD), rank 0 called MPI_Precv_init(partitions 2"));
        }
    }
}

/// More than there are numbers of descriptions where these are few, taken in another order than
/// they were sent in, some never.
TEST_P(CheckedMessages, OfTheSameTypesAreNot) {
    constexpr int n = 500;
    const job::Result result = run(3, [&](int rank) {
        std::vector<int> words(n);
        std::vector<MPI_Request> requests(n);
        const auto type = [](int i) { return i % 3 == 0 ? MPI_FLOAT : MPI_INT; };
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < n; ++i) {
                const int tag = rank == 2 ? i : n - 1 - i;
                auto& word = words[static_cast<std::size_t>(i)];
                auto& request = requests[static_cast<std::size_t>(i)];
                if (rank == 0)
                    MPI_Irecv(&word, 1, type(i), round == 1 ? MPI_ANY_SOURCE : 1, i, MPI_COMM_WORLD,
                              &request);
                else if (rank == 1)
                    MPI_Isend(&word, 1, type(tag), 0, tag, MPI_COMM_WORLD, &request);
            }
            if (rank != 2) MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        // Nobody takes these.
        if (rank == 2)
            for (int i = 0; i < 5; ++i)
                MPI_Send(words.data(), 1, MPI_DOUBLE, 1, i, MPI_COMM_WORLD);
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

// Handles of communicators repeat after so many turns of their place. Rank 1 comes back to the same
// handle and the same context, and rank 0, which has used that context alone meanwhile, does not:
// their calls must be counted anew, or the first is taken for another.
TEST_P(CheckedMessages, AndCallsOnACommunicatorThatIsGoneAreNotCounted) {
    if (GetParam().kind != job::Kind::fibers) GTEST_SKIP() << "nobody ends the other rank";
    const job::Result result = run(2, [](int rank) {
        const auto make = [] {
            MPI_Comm comm = MPI_COMM_NULL;
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            return comm;
        };
        const auto make_and_free = [&] {
            MPI_Comm comm = make();
            const MPI_Comm was = comm;
            MPI_Barrier(comm);
            MPI_Comm_free(&comm);
            return was;
        };
        const MPI_Comm first = make_and_free();
        MPI_Comm own = MPI_COMM_NULL;
        if (rank == 0) MPI_Comm_dup(MPI_COMM_SELF, &own);
        for (int others = 0; others < 15; ++others)
            make_and_free();
        if (rank == 0) MPI_Comm_free(&own);
        const MPI_Comm last = make();
        EXPECT_EQ(last == first, rank == 1);
        int word = 0;
        if (rank == 0)
            MPI_Bcast(&word, 1, MPI_INT, 0, last);
        else
            MPI_Barrier(last);
    });
    EXPECT_FALSE(result.ok);
    EXPECT_THAT(result.failure, HasSubstr("collective calls do not match"));
    EXPECT_THAT(result.failure, HasSubstr("(number 1 on "));
}

}  // namespace
}  // namespace railyard::mpi
