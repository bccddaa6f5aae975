// Collectives between two groups: what one gives, the other gets.

#include <numeric>
#include <vector>

#include "mpi/abi/intercommunicators.hpp"

namespace railyard::mpi {
namespace {

using InterCollectives = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(InterCollectives);
INSTANTIATE_TEST_SUITE_P(Models, InterCollectives,
                         testing::Values(FabricAndKind{"quadrics", job::Kind::fibers},
                                         FabricAndKind{"infiniband-pcix", job::Kind::fibers}),
                         fabric_name);

using Ints = std::vector<int>;

/// `count` numbers that a rank has for another one.
Ints numbers(int from, int to, int count) {
    Ints list(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        list[static_cast<std::size_t>(i)] = 100'000 * from + 1'000 * to + i % 1'000;
    return list;
}

Ints joined(const std::vector<Ints>& lists) {
    Ints all;
    for (const Ints& list : lists)
        all.insert(all.end(), list.begin(), list.end());
    return all;
}

/// Sums of what all of these ranks have, number by number.
Ints sums(const Ints& ranks, int count) {
    Ints total(static_cast<std::size_t>(count));
    for (const int rank : ranks) {
        const Ints theirs = numbers(rank, 0, count);
        for (std::size_t i = 0; i < total.size(); ++i)
            total[i] += theirs[i];
    }
    return total;
}

/// Runs with groups of many sizes, and with few and many numbers.
template <class Body>
void with_groups(const FabricAndKind& on, Body&& body) {
    for (const int ranks : {2, 3, 7, 16})
        for (const int first : {1, ranks / 2, ranks - 1}) {
            const bool by_turns = ranks == 7;
            const job::Result result = run_on(on, ranks, [&](int rank, int size) {
                const TwoGroups two(rank, size, first, by_turns);
                for (const int count : {1, 5, 5000})
                    body(two, rank, count);
                body(two, rank, 0);
            });
            EXPECT_TRUE(result.ok) << result.failure;
        }
}

/// Each rank of both groups is the root once: `body(root's group has the root, root argument,
/// root)`.
template <class Body>
void with_roots(const TwoGroups& two, Body&& body) {
    for (int side = 0; side < 2; ++side) {
        const Ints& group = side == two.side() ? two.own() : two.other();
        for (int root = 0; root < static_cast<int>(group.size()); root += 1 + root) {
            int argument = root;
            if (side == two.side()) argument = root == two.rank() ? MPI_ROOT : MPI_PROC_NULL;
            body(argument, group[static_cast<std::size_t>(root)]);
        }
    }
}

TEST_P(InterCollectives, BarrierAndBroadcast) {
    with_groups(GetParam(), [](const TwoGroups& two, int rank, int count) {
        EXPECT_EQ(MPI_Barrier(two.inter), MPI_SUCCESS);
        with_roots(two, [&](int root, int world_root) {
            Ints data =
                root == MPI_ROOT ? numbers(rank, 0, count) : Ints(numbers(0, 0, count).size());
            const Ints before = data;
            EXPECT_EQ(MPI_Bcast(root == MPI_PROC_NULL ? nullptr : data.data(), count, MPI_INT, root,
                                two.inter),
                      MPI_SUCCESS);
            EXPECT_EQ(data, root >= 0 ? numbers(world_root, 0, count) : before);
        });
    });
}

TEST_P(InterCollectives, GatherAndScatter) {
    with_groups(GetParam(), [](const TwoGroups& two, int rank, int count) {
        with_roots(two, [&](int root, int world_root) {
            std::vector<Ints> of_others;
            std::vector<Ints> for_others;
            for (const int other : two.other()) {
                of_others.push_back(numbers(other, rank, count));
                for_others.push_back(numbers(rank, other, count));
            }
            const Ints mine = numbers(rank, world_root, count);
            Ints all(root == MPI_ROOT ? joined(of_others).size() : 0);
            EXPECT_EQ(MPI_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root,
                                 two.inter),
                      MPI_SUCCESS);
            if (root == MPI_ROOT) {
                EXPECT_EQ(all, joined(of_others));
            }
            all = joined(for_others);
            Ints got(mine.size());
            EXPECT_EQ(MPI_Scatter(all.data(), count, MPI_INT, got.data(), count, MPI_INT, root,
                                  two.inter),
                      MPI_SUCCESS);
            if (root >= 0) {
                EXPECT_EQ(got, numbers(world_root, rank, count));
            }
        });
    });
}

/// Blocks of different lengths, some of them empty, with gaps between them.
struct Uneven {
    Uneven(int ranks, int count) {
        int place = 1;
        for (int i = 0; i < ranks; ++i) {
            counts.push_back(length(i, count));
            places.push_back(place);
            place += counts.back() + 1;
        }
        data.assign(static_cast<std::size_t>(place), -1);
    }
    static int length(int rank, int count) { return rank % 3 == 1 ? 0 : count + rank; }
    void put(int block, const Ints& numbers) {
        std::copy(numbers.begin(), numbers.end(),
                  data.begin() + places[static_cast<std::size_t>(block)]);
    }
    Ints counts;
    Ints places;
    Ints data;
};

TEST_P(InterCollectives, UnevenGatherAndScatter) {
    with_groups(GetParam(), [](const TwoGroups& two, int rank, int count) {
        const int own_length = Uneven::length(two.rank(), count);
        with_roots(two, [&](int root, int world_root) {
            Uneven got(two.other_size(), count);
            Uneven expected = got;
            Uneven given = got;
            for (int i = 0; i < two.other_size(); ++i) {
                const int other = two.other()[static_cast<std::size_t>(i)];
                expected.put(i, numbers(other, rank, Uneven::length(i, count)));
                given.put(i, numbers(rank, other, Uneven::length(i, count)));
            }
            const Ints mine = numbers(rank, world_root, own_length);
            EXPECT_EQ(MPI_Gatherv(mine.data(), own_length, MPI_INT, got.data.data(),
                                  got.counts.data(), got.places.data(), MPI_INT, root, two.inter),
                      MPI_SUCCESS);
            if (root == MPI_ROOT) {
                EXPECT_EQ(got.data, expected.data);
            }
            Ints part(mine.size(), -1);
            EXPECT_EQ(MPI_Scatterv(given.data.data(), given.counts.data(), given.places.data(),
                                   MPI_INT, part.data(), own_length, MPI_INT, root, two.inter),
                      MPI_SUCCESS);
            if (root >= 0) {
                EXPECT_EQ(part, numbers(world_root, rank, own_length));
            }
        });
    });
}

TEST_P(InterCollectives, AllGather) {
    with_groups(GetParam(), [](const TwoGroups& two, int rank, int count) {
        std::vector<Ints> expected;
        Uneven uneven(two.other_size(), count);
        Uneven expected_uneven = uneven;
        for (int i = 0; i < two.other_size(); ++i) {
            const int other = two.other()[static_cast<std::size_t>(i)];
            expected.push_back(numbers(other, 0, count));
            expected_uneven.put(i, numbers(other, 0, Uneven::length(i, count)));
        }
        Ints all(joined(expected).size());
        const Ints mine = numbers(rank, 0, count);
        EXPECT_EQ(MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, two.inter),
                  MPI_SUCCESS);
        EXPECT_EQ(all, joined(expected));
        const int length = Uneven::length(two.rank(), count);
        const Ints part = numbers(rank, 0, length);
        EXPECT_EQ(MPI_Allgatherv(part.data(), length, MPI_INT, uneven.data.data(),
                                 uneven.counts.data(), uneven.places.data(), MPI_INT, two.inter),
                  MPI_SUCCESS);
        EXPECT_EQ(uneven.data, expected_uneven.data);
    });
}

TEST_P(InterCollectives, AllToAll) {
    with_groups(GetParam(), [](const TwoGroups& two, int rank, int count) {
        std::vector<Ints> out;
        std::vector<Ints> expected;
        Uneven uneven_out(two.other_size(), count);
        Ints in_counts;
        Ints in_places;
        Ints expected_uneven;
        for (int i = 0; i < two.other_size(); ++i) {
            const int other = two.other()[static_cast<std::size_t>(i)];
            out.push_back(numbers(rank, other, count));
            expected.push_back(numbers(other, rank, count));
            uneven_out.put(i, numbers(rank, other, Uneven::length(i, count)));
            // How much a rank gets does not depend on from whom.
            in_counts.push_back(Uneven::length(two.rank(), count));
            in_places.push_back(static_cast<int>(expected_uneven.size()));
            const Ints block = numbers(other, rank, in_counts.back());
            expected_uneven.insert(expected_uneven.end(), block.begin(), block.end());
        }
        const Ints all_out = joined(out);
        Ints in(all_out.size());
        EXPECT_EQ(
            MPI_Alltoall(all_out.data(), count, MPI_INT, in.data(), count, MPI_INT, two.inter),
            MPI_SUCCESS);
        EXPECT_EQ(in, joined(expected));
        Ints uneven_in(expected_uneven.size());
        EXPECT_EQ(MPI_Alltoallv(uneven_out.data.data(), uneven_out.counts.data(),
                                uneven_out.places.data(), MPI_INT, uneven_in.data(),
                                in_counts.data(), in_places.data(), MPI_INT, two.inter),
                  MPI_SUCCESS);
        EXPECT_EQ(uneven_in, expected_uneven);
        std::vector<MPI_Datatype> types(in_counts.size(), MPI_INT);
        for (Ints* places : {&uneven_out.places, &in_places})
            for (int& place : *places)
                place *= static_cast<int>(sizeof(int));
        std::fill(uneven_in.begin(), uneven_in.end(), -1);
        EXPECT_EQ(MPI_Alltoallw(uneven_out.data.data(), uneven_out.counts.data(),
                                uneven_out.places.data(), types.data(), uneven_in.data(),
                                in_counts.data(), in_places.data(), types.data(), two.inter),
                  MPI_SUCCESS);
        EXPECT_EQ(uneven_in, expected_uneven);
    });
}

TEST_P(InterCollectives, Reductions) {
    with_groups(GetParam(), [](const TwoGroups& two, int rank, int count) {
        const Ints mine = numbers(rank, 0, count);
        const Ints expected = sums(two.other(), count);
        with_roots(two, [&](int root, int) {
            Ints total(mine.size());
            EXPECT_EQ(
                MPI_Reduce(mine.data(), total.data(), count, MPI_INT, MPI_SUM, root, two.inter),
                MPI_SUCCESS);
            if (root == MPI_ROOT) {
                EXPECT_EQ(total, expected);
            }
        });
        Ints total(mine.size());
        EXPECT_EQ(MPI_Allreduce(mine.data(), total.data(), count, MPI_INT, MPI_SUM, two.inter),
                  MPI_SUCCESS);
        EXPECT_EQ(total, expected);
    });
}

TEST_P(InterCollectives, ReduceScatter) {
    with_groups(GetParam(), [](const TwoGroups& two, int rank, int count) {
        // As many in all on both sides: each rank of a group gets as many as the other has ranks.
        const int share = count * two.other_size();
        const int total = share * two.own_size();
        const Ints mine = numbers(rank, 0, total);
        const Ints all = sums(two.other(), total);
        Ints got(static_cast<std::size_t>(share));
        EXPECT_EQ(
            MPI_Reduce_scatter_block(mine.data(), got.data(), share, MPI_INT, MPI_SUM, two.inter),
            MPI_SUCCESS);
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(share) * two.rank();
        EXPECT_EQ(got, Ints(begin, begin + share));
        // All for the last rank of each group.
        Ints counts(static_cast<std::size_t>(two.own_size()));
        counts.back() = total;
        got.assign(static_cast<std::size_t>(total), 0);
        EXPECT_EQ(
            MPI_Reduce_scatter(mine.data(), got.data(), counts.data(), MPI_INT, MPI_SUM, two.inter),
            MPI_SUCCESS);
        if (two.rank() + 1 == two.own_size()) {
            EXPECT_EQ(got, all);
        }
    });
}

void take_second(void* in, void* inout, int* count, MPI_Datatype*) {
    // Associative, not commutative: a pair keeps the first of the left and the second of the right.
    for (int i = 0; i < *count; ++i)
        static_cast<int*>(inout)[2 * i] = static_cast<const int*>(in)[2 * i];
}

TEST_P(InterCollectives, ReductionsKeepTheOrderOfRanks) {
    const job::Result result = run_on(GetParam(), 9, [](int rank, int size) {
        const TwoGroups two(rank, size, 4, true);
        MPI_Op op = MPI_OP_NULL;
        MPI_Op_create(&take_second, 0, &op);
        MPI_Datatype pair = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_commit(&pair);
        const int mine[] = {rank, rank};
        int got[2] = {-1, -1};
        EXPECT_EQ(MPI_Allreduce(mine, got, 1, pair, op, two.inter), MPI_SUCCESS);
        EXPECT_EQ(got[0], two.other().front());
        EXPECT_EQ(got[1], two.other().back());
        MPI_Type_free(&pair);
        MPI_Op_free(&op);
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST_P(InterCollectives, LengthsThatDifferAreTold) {
    const job::Result result = run_on(GetParam(), 3, [](int rank, int size) {
        const TwoGroups two(rank, size, 1);
        MPI_Comm_set_errhandler(two.inter, MPI_ERRORS_RETURN);
        // The first group's only rank gives four numbers, the other group expects two.
        Ints data(4);
        EXPECT_EQ(MPI_Bcast(data.data(), two.side() == 0 ? 4 : 2, MPI_INT,
                            two.side() == 0 ? MPI_ROOT : 0, two.inter),
                  two.side() == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

}  // namespace
}  // namespace railyard::mpi
