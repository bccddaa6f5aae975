// The algebra of groups, against lists of ranks made by hand.

#include <algorithm>
#include <random>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Ranks = std::vector<int>;

using Groups = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Groups);

constexpr int world_size = 7;

MPI_Group world_group() {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    return group;
}

MPI_Group group_of(const Ranks& ranks) {
    MPI_Group world = world_group();
    MPI_Group group = MPI_GROUP_NULL;
    EXPECT_EQ(MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group),
              MPI_SUCCESS);
    MPI_Group_free(&world);
    return group;
}

Ranks ranks_of(MPI_Group group) {
    int size = -1;
    MPI_Group_size(group, &size);
    Ranks own(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i)
        own[static_cast<std::size_t>(i)] = i;
    Ranks ranks(own.size());
    MPI_Group world = world_group();
    MPI_Group_translate_ranks(group, size, own.data(), world, ranks.data());
    MPI_Group_free(&world);
    return ranks;
}

Ranks take(MPI_Group group) {
    const Ranks ranks = ranks_of(group);
    MPI_Group_free(&group);
    return ranks;
}

bool has(const Ranks& ranks, int rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

Ranks kept(const Ranks& of, const std::function<bool(int)>& wanted) {
    Ranks ranks;
    std::copy_if(of.begin(), of.end(), std::back_inserter(ranks), wanted);
    return ranks;
}

Ranks random_ranks(std::mt19937& random) {
    Ranks all(world_size);
    for (int i = 0; i < world_size; ++i)
        all[static_cast<std::size_t>(i)] = i;
    std::shuffle(all.begin(), all.end(), random);
    all.resize(random() % (world_size + 1));
    return all;
}

TEST_P(Groups, ObeyTheAlgebraOfSetsWithAnOrder) {
    run(world_size, [](int rank, int) {
        std::mt19937 random(4);
        for (int round = 0; round < 50; ++round) {
            const Ranks a = random_ranks(random);
            const Ranks b = random_ranks(random);
            MPI_Group ga = group_of(a);
            MPI_Group gb = group_of(b);
            MPI_Group made = MPI_GROUP_NULL;

            Ranks both = a;
            for (const int r : b)
                if (!has(a, r)) both.push_back(r);
            MPI_Group_union(ga, gb, &made);
            EXPECT_EQ(take(made), both);
            MPI_Group_intersection(ga, gb, &made);
            EXPECT_EQ(take(made), kept(a, [&](int r) { return has(b, r); }));
            MPI_Group_difference(ga, gb, &made);
            EXPECT_EQ(take(made), kept(a, [&](int r) { return !has(b, r); }));

            int own = -2;
            MPI_Group_rank(ga, &own);
            const auto found = std::find(a.begin(), a.end(), rank);
            EXPECT_EQ(own, found == a.end() ? MPI_UNDEFINED : static_cast<int>(found - a.begin()));

            Ranks sorted_a = a;
            Ranks sorted_b = b;
            std::sort(sorted_a.begin(), sorted_a.end());
            std::sort(sorted_b.begin(), sorted_b.end());
            int likeness = -1;
            MPI_Group_compare(ga, gb, &likeness);
            EXPECT_EQ(likeness, a == b                 ? MPI_IDENT
                                : sorted_a == sorted_b ? MPI_SIMILAR
                                                       : MPI_UNEQUAL);
            MPI_Group_free(&ga);
            MPI_Group_free(&gb);
            EXPECT_EQ(ga, MPI_GROUP_NULL);
        }
    });
}

TEST_P(Groups, RangesStandForRanks) {
    run(world_size, [](int, int) {
        MPI_Group world = world_group();
        MPI_Group made = MPI_GROUP_NULL;
        int up_and_down[][3] = {{0, 4, 2}, {6, 5, -1}};
        MPI_Group_range_incl(world, 2, up_and_down, &made);
        EXPECT_EQ(take(made), (Ranks{0, 2, 4, 6, 5}));
        MPI_Group_range_excl(world, 2, up_and_down, &made);
        EXPECT_EQ(take(made), (Ranks{1, 3}));
        const int dropped[] = {6, 0};
        MPI_Group_excl(world, 2, dropped, &made);
        EXPECT_EQ(take(made), (Ranks{1, 2, 3, 4, 5}));
        int still[][3] = {{0, 4, 0}};
        EXPECT_EQ(MPI_Group_range_incl(world, 1, still, &made), MPI_ERR_ARG);
        int twice[][3] = {{0, 2, 1}, {2, 3, 1}};
        EXPECT_EQ(MPI_Group_range_incl(world, 2, twice, &made), MPI_ERR_RANK);
        const int beyond[] = {world_size};
        EXPECT_EQ(MPI_Group_incl(world, 1, beyond, &made), MPI_ERR_RANK);
        MPI_Group_free(&world);
    });
}

TEST_P(Groups, NobodyIsAGroupToo) {
    run(1, [](int, int) {
        int size = -1;
        MPI_Group_size(MPI_GROUP_EMPTY, &size);
        EXPECT_EQ(size, 0);
        MPI_Group world = world_group();
        MPI_Group made = MPI_GROUP_NULL;
        MPI_Group_difference(world, world, &made);
        int likeness = -1;
        MPI_Group_compare(made, MPI_GROUP_EMPTY, &likeness);
        EXPECT_EQ(likeness, MPI_IDENT);
        const int nobody = MPI_PROC_NULL;
        int translated = -5;
        MPI_Group_translate_ranks(world, 1, &nobody, world, &translated);
        EXPECT_EQ(translated, MPI_PROC_NULL);
        MPI_Group_free(&world);
    });
}

}  // namespace
}  // namespace railyard::mpi
