// New communicators out of old ones, and what hangs on them.

#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Communicators = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Communicators);

int sum_over(MPI_Comm comm, int value) {
    int sum = -1;
    EXPECT_EQ(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    return sum;
}

TEST_P(Communicators, ADuplicateKeepsMessagesApart) {
    run(2, [](int rank, int) {
        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        int likeness = -1;
        MPI_Comm_compare(MPI_COMM_WORLD, dup, &likeness);
        EXPECT_EQ(likeness, MPI_CONGRUENT);
        MPI_Comm_compare(dup, dup, &likeness);
        EXPECT_EQ(likeness, MPI_IDENT);
        int first = 1;
        int second = 2;
        if (rank == 0) {
            MPI_Send(&first, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
            MPI_Send(&second, 1, MPI_INT, 1, 5, dup);
        } else {
            int got = 0;
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, dup, MPI_STATUS_IGNORE);
            EXPECT_EQ(got, second);
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            EXPECT_EQ(got, first);
        }
        MPI_Comm_free(&dup);
        EXPECT_EQ(dup, MPI_COMM_NULL);
    });
}

// Its handle goes at once, but its context belongs to nobody else before they are done.
TEST_P(Communicators, AFreedOneLivesAsLongAsItsRequests) {
    run(2, [](int rank, int) {
        MPI_Comm first = MPI_COMM_NULL;
        MPI_Comm second = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &first);
        MPI_Request request = MPI_REQUEST_NULL;
        int of_first = 1;
        int of_second = 2;
        if (rank == 0)
            MPI_Send_init(&of_first, 1, MPI_INT, 1, 0, first, &request);
        else
            MPI_Irecv(&of_first, 1, MPI_INT, 0, 0, first, &request);
        if (rank == 1) of_first = of_second = -1;
        MPI_Comm_free(&first);
        MPI_Comm_dup(MPI_COMM_WORLD, &second);
        if (rank == 0) {
            MPI_Send(&of_second, 1, MPI_INT, 1, 0, second);
            MPI_Start(&request);
        } else {
            MPI_Recv(&of_second, 1, MPI_INT, 0, 0, second, MPI_STATUS_IGNORE);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(of_first, 1);
        EXPECT_EQ(of_second, 2);
        if (rank == 0) MPI_Request_free(&request);
        MPI_Comm_free(&second);
    });
}

TEST_P(Communicators, SplitGoesByColorAndKey) {
    run(7, [](int rank, int size) {
        // Rank 3 stays out; keys turn the order round.
        const int color = rank == 3 ? MPI_UNDEFINED : rank % 2;
        MPI_Comm part = MPI_COMM_WORLD;
        ASSERT_EQ(MPI_Comm_split(MPI_COMM_WORLD, color, -rank, &part), MPI_SUCCESS);
        if (rank == 3) {
            EXPECT_EQ(part, MPI_COMM_NULL);
            return;
        }
        std::vector<int> members;
        for (int r = size - 1; r >= 0; --r)
            if (r != 3 && r % 2 == rank % 2) members.push_back(r);
        int part_rank = -1;
        int part_size = -1;
        MPI_Comm_rank(part, &part_rank);
        MPI_Comm_size(part, &part_size);
        ASSERT_EQ(part_size, static_cast<int>(members.size()));
        EXPECT_EQ(members[static_cast<std::size_t>(part_rank)], rank);
        int sum = 0;
        for (const int member : members)
            sum += member;
        EXPECT_EQ(sum_over(part, rank), sum);
        MPI_Comm_free(&part);
    });
    run(1, [](int, int) {
        MPI_Comm part = MPI_COMM_NULL;
        EXPECT_EQ(MPI_Comm_split(MPI_COMM_WORLD, -3, 0, &part), MPI_ERR_ARG);
    });
}

TEST_P(Communicators, SplitTypeGoesByNode) {
    job::Options options = options_for(GetParam(), 4);
    const bool has_nodes = GetParam().kind == job::Kind::fibers || is_pair(GetParam().fabric);
    if (has_nodes) options.nodes = {0, 1, 0, 1};
    const job::Result result = job::run(options, [&](job::Rank&) {
        MPI_Init(nullptr, nullptr);
        int rank = -1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm node = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
        EXPECT_EQ(sum_over(node, rank), !has_nodes ? 6 : rank % 2 == 0 ? 2 : 4);
        MPI_Comm_free(&node);
        MPI_Finalize();
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST_P(Communicators, CreateTakesTheMembersOfAGroup) {
    run(5, [](int rank, int) {
        MPI_Group world = MPI_GROUP_NULL;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        const int ranks[] = {4, 0, 2};
        MPI_Group group = MPI_GROUP_NULL;
        MPI_Group_incl(world, 3, ranks, &group);
        MPI_Comm made = MPI_COMM_WORLD;
        ASSERT_EQ(MPI_Comm_create(MPI_COMM_WORLD, group, &made), MPI_SUCCESS);
        if (rank % 2 == 0) {
            int own = -1;
            MPI_Comm_rank(made, &own);
            EXPECT_EQ(ranks[own], rank);
            EXPECT_EQ(sum_over(made, rank), 6);
            MPI_Comm_free(&made);
        } else {
            EXPECT_EQ(made, MPI_COMM_NULL);
        }
        MPI_Group_free(&group);
        MPI_Group_free(&world);
    });
}

// Groups that overlap, while others of the communicator are in a collective of their own.
TEST_P(Communicators, CreateGroupIsCalledByMembersAlone) {
    run(6, [](int rank, int size) {
        MPI_Group world = MPI_GROUP_NULL;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        for (int last = size - 1; last >= 1; --last) {
            int range[][3] = {{0, last, 1}};
            if (rank > last) continue;
            MPI_Group group = MPI_GROUP_NULL;
            MPI_Group_range_incl(world, 1, range, &group);
            MPI_Comm made = MPI_COMM_NULL;
            ASSERT_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, group, 9, &made), MPI_SUCCESS);
            EXPECT_EQ(sum_over(made, rank), last * (last + 1) / 2);
            MPI_Comm_free(&made);
            MPI_Group_free(&group);
        }
        MPI_Group_free(&world);
        EXPECT_EQ(sum_over(MPI_COMM_WORLD, 1), size);
    });
}

TEST_P(Communicators, ManyCanBeAliveAtOnce) {
    run(2, [](int, int) {
        std::vector<MPI_Comm> comms(600);
        for (MPI_Comm& comm : comms)
            ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
        EXPECT_EQ(sum_over(comms.back(), 1), 2);
        for (MPI_Comm& comm : comms)
            ASSERT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    });
}

TEST_P(Communicators, HaveNames) {
    run(1, [](int, int) {
        char name[MPI_MAX_OBJECT_NAME];
        int length = -1;
        MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
        EXPECT_STREQ(name, "MPI_COMM_WORLD");
        EXPECT_EQ(length, 14);
        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        MPI_Comm_get_name(dup, name, &length);
        EXPECT_EQ(length, 0);
        MPI_Comm_set_name(dup, "the second");
        MPI_Comm_get_name(dup, name, &length);
        EXPECT_STREQ(name, "the second");
        MPI_Comm_free(&dup);
        int flag = -1;
        MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
        EXPECT_EQ(flag, 0);
        MPI_Comm parent = MPI_COMM_WORLD;
        MPI_Comm_get_parent(&parent);
        EXPECT_EQ(parent, MPI_COMM_NULL);
    });
}

}  // namespace
}  // namespace railyard::mpi
