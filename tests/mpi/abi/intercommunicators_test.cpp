// Two groups of ranks, and messages between them.

#include "mpi/abi/intercommunicators.hpp"

#include <vector>

namespace railyard::mpi {
namespace {

using Intercommunicators = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Intercommunicators);

int size_of(MPI_Comm comm) {
    int size = -1;
    EXPECT_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
    return size;
}

int remote_size_of(MPI_Comm comm) {
    int size = -1;
    EXPECT_EQ(MPI_Comm_remote_size(comm, &size), MPI_SUCCESS);
    return size;
}

std::vector<int> world_ranks_of(MPI_Group group) {
    int size = 0;
    MPI_Group_size(group, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i)
        ranks[static_cast<std::size_t>(i)] = i;
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    std::vector<int> found(ranks.size());
    MPI_Group_translate_ranks(group, size, ranks.data(), world, found.data());
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    return found;
}

std::vector<int> members_of(MPI_Comm comm) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &group);
    return world_ranks_of(group);
}

std::vector<int> remote_members_of(MPI_Comm comm) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_remote_group(comm, &group);
    return world_ranks_of(group);
}

/// Every rank sends its word to every rank of the other group, and hears theirs.
void talk(MPI_Comm inter, int world_rank, const std::vector<int>& others) {
    std::vector<MPI_Request> sends(others.size());
    const int word = word_of(world_rank);
    for (std::size_t i = 0; i < others.size(); ++i)
        MPI_Isend(&word, 1, MPI_INT, static_cast<int>(i), 3, inter, &sends[i]);
    for (std::size_t i = 0; i < others.size(); ++i) {
        int heard = -1;
        MPI_Status status;
        if (i % 2 == 0) {
            MPI_Recv(&heard, 1, MPI_INT, static_cast<int>(i), 3, inter, &status);
        } else {
            MPI_Probe(static_cast<int>(i), MPI_ANY_TAG, inter, &status);
            MPI_Recv(&heard, 1, MPI_INT, status.MPI_SOURCE, MPI_ANY_TAG, inter, &status);
        }
        EXPECT_EQ(status.MPI_SOURCE, static_cast<int>(i));
        EXPECT_EQ(heard, word_of(others[i]));
    }
    MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
    MPI_Barrier(inter);
    // And from whoever comes.
    for (std::size_t i = 0; i < others.size(); ++i)
        MPI_Isend(&word, 1, MPI_INT, static_cast<int>(i), 4, inter, &sends[i]);
    for (std::size_t i = 0; i < others.size(); ++i) {
        int heard = -1;
        MPI_Status status;
        MPI_Recv(&heard, 1, MPI_INT, MPI_ANY_SOURCE, 4, inter, &status);
        ASSERT_LT(static_cast<std::size_t>(status.MPI_SOURCE), others.size());
        EXPECT_EQ(heard, word_of(others[static_cast<std::size_t>(status.MPI_SOURCE)]));
    }
    MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
}

TEST_P(Intercommunicators, RanksTalkToTheOtherGroup) {
    for (const int ranks : {2, 3, 8})
        for (const int first : {1, ranks / 2, ranks - 1})
            for (const bool by_turns : {false, true})
                run(ranks, [&](int rank, int size) {
                    const TwoGroups two(rank, size, first, by_turns);
                    int flag = -1;
                    MPI_Comm_test_inter(two.inter, &flag);
                    EXPECT_EQ(flag, 1);
                    int own = -1;
                    MPI_Comm_rank(two.inter, &own);
                    EXPECT_EQ(own, two.rank());
                    EXPECT_EQ(size_of(two.inter), two.own_size());
                    EXPECT_EQ(remote_size_of(two.inter), two.other_size());
                    EXPECT_EQ(members_of(two.inter), two.own());
                    EXPECT_EQ(remote_members_of(two.inter), two.other());
                    talk(two.inter, rank, two.other());
                });
}

TEST_P(Intercommunicators, AreDuplicatedAndCompared) {
    run(5, [](int rank, int size) {
        const TwoGroups two(rank, size, 2);
        MPI_Comm copy = MPI_COMM_NULL;
        ASSERT_EQ(MPI_Comm_dup(two.inter, &copy), MPI_SUCCESS);
        talk(copy, rank, two.other());
        talk(two.inter, rank, two.other());
        const auto likeness = [](MPI_Comm a, MPI_Comm b) {
            int found = -1;
            EXPECT_EQ(MPI_Comm_compare(a, b, &found), MPI_SUCCESS);
            return found;
        };
        EXPECT_EQ(likeness(two.inter, two.inter), MPI_IDENT);
        EXPECT_EQ(likeness(two.inter, copy), MPI_CONGRUENT);
        EXPECT_EQ(likeness(two.inter, two.local), MPI_UNEQUAL);
        MPI_Comm turned = MPI_COMM_NULL;
        ASSERT_EQ(MPI_Comm_split(two.inter, 0, two.side() == 0 ? rank : -rank, &turned),
                  MPI_SUCCESS);
        EXPECT_EQ(likeness(two.inter, turned), MPI_SIMILAR);
        MPI_Comm_free(&turned);
        MPI_Comm_free(&copy);
    });
}

TEST_P(Intercommunicators, SplitByColorsOfBothSides) {
    run(9, [](int rank, int size) {
        const TwoGroups two(rank, size, 4);
        // Color 0 on both sides, color 1 on both sides, color 2 on one side alone; rank 8 has none.
        const int color = rank == 8 ? MPI_UNDEFINED : rank == 7 ? 2 : rank % 2;
        MPI_Comm part = MPI_COMM_WORLD;
        ASSERT_EQ(MPI_Comm_split(two.inter, color, -rank, &part), MPI_SUCCESS);
        if (rank >= 7) {
            EXPECT_EQ(part, MPI_COMM_NULL);
            return;
        }
        std::vector<int> own;
        std::vector<int> other;
        for (int i = 6; i >= 0; --i)
            if (i % 2 == color) ((i < 4) == (rank < 4) ? own : other).push_back(i);
        EXPECT_EQ(members_of(part), own);
        EXPECT_EQ(remote_members_of(part), other);
        talk(part, rank, other);
        MPI_Comm_free(&part);
    });
}

TEST_P(Intercommunicators, AreCreatedOfParts) {
    run(6, [](int rank, int size) {
        const TwoGroups two(rank, size, 3);
        MPI_Group all = MPI_GROUP_NULL;
        MPI_Comm_group(two.inter, &all);
        const int last_and_first[] = {2, 0};
        MPI_Group some = MPI_GROUP_NULL;
        MPI_Group_incl(all, 2, last_and_first, &some);
        MPI_Comm part = MPI_COMM_WORLD;
        ASSERT_EQ(MPI_Comm_create(two.inter, some, &part), MPI_SUCCESS);
        if (two.rank() == 1) {
            EXPECT_EQ(part, MPI_COMM_NULL);
        } else {
            EXPECT_EQ(members_of(part), (std::vector<int>{two.own()[2], two.own()[0]}));
            EXPECT_EQ(remote_members_of(part), (std::vector<int>{two.other()[2], two.other()[0]}));
            talk(part, rank, {two.other()[2], two.other()[0]});
            MPI_Comm_free(&part);
        }
        // One side names nobody.
        ASSERT_EQ(MPI_Comm_create(two.inter, two.side() == 0 ? some : MPI_GROUP_EMPTY, &part),
                  MPI_SUCCESS);
        EXPECT_EQ(part, MPI_COMM_NULL);
        MPI_Group_free(&some);
        MPI_Group_free(&all);
    });
}

TEST_P(Intercommunicators, MergeInTheOrderThatIsAskedFor) {
    for (const int first : {1, 3})
        for (const bool by_turns : {false, true})
            run(5, [&](int rank, int size) {
                const TwoGroups two(rank, size, first, by_turns);
                for (const bool first_is_high : {false, true}) {
                    MPI_Comm all = MPI_COMM_NULL;
                    const int high = (two.side() == 0) == first_is_high ? 1 : 0;
                    ASSERT_EQ(MPI_Intercomm_merge(two.inter, high, &all), MPI_SUCCESS);
                    std::vector<int> expected = high != 0 ? two.other() : two.own();
                    const std::vector<int>& behind = high != 0 ? two.own() : two.other();
                    expected.insert(expected.end(), behind.begin(), behind.end());
                    EXPECT_EQ(members_of(all), expected);
                    int flag = -1;
                    MPI_Comm_test_inter(all, &flag);
                    EXPECT_EQ(flag, 0);
                    int sum = 0;
                    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
                    EXPECT_EQ(sum, size * (size - 1) / 2);
                    MPI_Comm_free(&all);
                }
                // Both say the same: in some order, of all.
                MPI_Comm all = MPI_COMM_NULL;
                ASSERT_EQ(MPI_Intercomm_merge(two.inter, 1, &all), MPI_SUCCESS);
                EXPECT_EQ(size_of(all), size);
                MPI_Comm_free(&all);
            });
}

TEST_P(Intercommunicators, AreMadeOfGroupsAlone) {
    run(7, [](int rank, int size) {
        MPI_Group world = MPI_GROUP_NULL;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group sides[2];
        int ranges[2][3] = {{0, 4, 2}, {1, size - 2, 2}};
        for (int side = 0; side < 2; ++side)
            MPI_Group_range_incl(world, 1, &ranges[side], &sides[side]);
        MPI_Comm inter = MPI_COMM_NULL;
        if (rank < 6) {
            const int side = rank % 2;
            ASSERT_EQ(MPI_Intercomm_create_from_groups(sides[side], 0, sides[1 - side], 1, "a tag",
                                                       MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter),
                      MPI_SUCCESS);
            EXPECT_EQ(size_of(inter), 3);
            talk(inter, rank, side == 0 ? std::vector{1, 3, 5} : std::vector{0, 2, 4});
            EXPECT_EQ(MPI_Send(&rank, 1, MPI_INT, 3, 0, inter), MPI_ERR_RANK)
                << "with the handler that was asked for";
            MPI_Comm_free(&inter);
        }
        EXPECT_EQ(MPI_Intercomm_create_from_groups(world, 0, sides[1], 0, "b", MPI_INFO_NULL,
                                                   MPI_ERRORS_RETURN, &inter),
                  MPI_ERR_COMM)
            << "groups that overlap";
        EXPECT_EQ(MPI_Intercomm_create_from_groups(world, size, sides[1], 0, "b", MPI_INFO_NULL,
                                                   MPI_ERRORS_RETURN, &inter),
                  MPI_ERR_RANK);
        for (MPI_Group& side : sides)
            MPI_Group_free(&side);
        MPI_Group_free(&world);
    });
}

TEST_P(Intercommunicators, CommunicatorsAreMadeOfAGroupAlone) {
    run(6, [](int rank, int size) {
        MPI_Group world = MPI_GROUP_NULL;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        // Each next one of fewer ranks, all of the same text.
        for (int last = size - 1; last >= 0; --last) {
            int range[][3] = {{last, 0, -1}};
            MPI_Group group = MPI_GROUP_NULL;
            MPI_Group_range_incl(world, 1, range, &group);
            MPI_Comm made = MPI_COMM_WORLD;
            const int code = MPI_Comm_create_from_group(group, "railyard", MPI_INFO_NULL,
                                                        MPI_ERRORS_RETURN, &made);
            if (rank > last) {
                EXPECT_EQ(code, MPI_ERR_GROUP) << "not a member";
            } else {
                ASSERT_EQ(code, MPI_SUCCESS);
                int own = -1;
                MPI_Comm_rank(made, &own);
                EXPECT_EQ(own, last - rank);
                int sum = 0;
                MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
                EXPECT_EQ(sum, last * (last + 1) / 2);
                MPI_Comm_free(&made);
            }
            MPI_Group_free(&group);
        }
        MPI_Comm made = MPI_COMM_WORLD;
        EXPECT_EQ(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "railyard", MPI_INFO_NULL,
                                             MPI_ERRORS_RETURN, &made),
                  MPI_SUCCESS);
        EXPECT_EQ(made, MPI_COMM_NULL);
        EXPECT_EQ(MPI_Comm_create_from_group(world, std::string(300, 'x').c_str(), MPI_INFO_NULL,
                                             MPI_ERRORS_RETURN, &made),
                  MPI_ERR_ARG);
        MPI_Group_free(&world);
    });
}

TEST_P(Intercommunicators, WrongCallsAreTold) {
    run(4, [](int rank, int size) {
        MPI_Comm made = MPI_COMM_NULL;
        int number = -1;
        EXPECT_EQ(MPI_Comm_remote_size(MPI_COMM_WORLD, &number), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Intercomm_create(MPI_COMM_WORLD, 4, MPI_COMM_WORLD, 0, 1, &made),
                  MPI_ERR_RANK);
        EXPECT_EQ(MPI_Intercomm_create(MPI_COMM_WORLD, 0, MPI_COMM_WORLD, 0, -1, &made),
                  MPI_ERR_TAG);
        // The leader finds out, and all are told.
        EXPECT_EQ(MPI_Intercomm_create(MPI_COMM_WORLD, 1, MPI_COMM_WORLD, 4, 1, &made),
                  rank == 1 ? MPI_ERR_RANK : MPI_ERR_COMM);
        EXPECT_EQ(MPI_Intercomm_create(MPI_COMM_WORLD, 1, MPI_COMM_NULL, 0, 1, &made),
                  MPI_ERR_COMM);
        EXPECT_EQ(MPI_Intercomm_create(MPI_COMM_WORLD, 1, MPI_COMM_WORLD, 1, 1, &made),
                  MPI_ERR_COMM)
            << "groups that overlap";
        const TwoGroups two(rank, size, 1);
        MPI_Comm_set_errhandler(two.inter, MPI_ERRORS_RETURN);
        const int count = two.other_size();
        EXPECT_EQ(MPI_Send(&rank, 1, MPI_INT, count, 0, two.inter), MPI_ERR_RANK);
        EXPECT_EQ(MPI_Scan(&rank, &number, 1, MPI_INT, MPI_SUM, two.inter), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Exscan(&rank, &number, 1, MPI_INT, MPI_SUM, two.inter), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Bcast(&number, 1, MPI_INT, count, two.inter), MPI_ERR_ROOT);
        EXPECT_EQ(MPI_Bcast(&number, 1, MPI_INT, MPI_ANY_SOURCE, two.inter), MPI_ERR_ROOT);
        EXPECT_EQ(MPI_Bcast(&number, 1, MPI_INT, MPI_ROOT, MPI_COMM_WORLD), MPI_ERR_ROOT);
        EXPECT_EQ(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_SUM, two.inter),
                  MPI_ERR_BUFFER);
        const int one = 1;
        EXPECT_EQ(MPI_Cart_create(two.inter, 1, &one, &one, 0, &made), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Comm_create_group(two.inter, MPI_GROUP_EMPTY, 0, &made), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Comm_split_type(two.inter, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made),
                  MPI_ERR_COMM);
        // Ranks of one group that do not agree: all of both groups are told.
        EXPECT_EQ(MPI_Intercomm_merge(two.inter, rank % 2, &made), MPI_ERR_ARG);
    });
}

}  // namespace
}  // namespace railyard::mpi
