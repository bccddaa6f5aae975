// The large-count twins of collectives: each once as it should be, and once with a count below
// zero. Blocking, started and persistent ones have the same arguments, and must do the same.

#include "mpi/abi/large_count_twins.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace railyard::mpi {
namespace {

using testing::Each;
using testing::ElementsAre;

using LargeCountCollectives = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(LargeCountCollectives);

using Numbers = std::vector<int>;

TEST_P(LargeCountCollectives, AreTheSame) {
    run(3, [](int rank, int ranks) {
        MPI_Comm all = MPI_COMM_WORLD;
        const Numbers mine(2, rank + 1);
        Numbers one(2);
        Numbers every(static_cast<std::size_t>(2 * ranks));
        const std::vector<MPI_Count> counts(static_cast<std::size_t>(ranks), 2);
        const std::vector<MPI_Aint> places{0, 2, 4};
        const std::vector<MPI_Aint> places_in_bytes{0, 8, 16};
        const std::vector<MPI_Datatype> types(static_cast<std::size_t>(ranks), MPI_INT);
        const Numbers expected{1, 1, 2, 2, 3, 3};
        const auto clear = [&] {
            one.assign(2, 0);
            every.assign(every.size(), 0);
        };
        const auto check_every = [&] {
            EXPECT_EQ(every, expected);
            clear();
        };
        const auto check_root = [&] {
            if (rank == 0) {
                EXPECT_EQ(every, expected);
            }
            clear();
        };
        const auto sum_is = [&](int at_all) {
            return [&, at_all] {
                EXPECT_THAT(one, Each(at_all));
                clear();
            };
        };
        const auto sum_at_root = [&] {
            if (rank == 0) {
                EXPECT_THAT(one, Each(6));
            }
            clear();
        };
        clear();
        Numbers word(2);
        const auto set_word = [&] { word.assign(2, rank == 0 ? 5 : 0); };
        const auto check_word = [&] {
            EXPECT_THAT(word, Each(5));
            set_word();
        };
        set_word();
        RAILYARD_ALL_FORMS(check_word, Bcast, Ibcast, word.data(), 2, MPI_INT, 0, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Bcast, Ibcast, word.data(), wrong_count, MPI_INT, 0,
                                all);

        RAILYARD_ALL_FORMS(check_root, Gather, Igather, mine.data(), 2, MPI_INT, every.data(), 2,
                           MPI_INT, 0, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Gather, Igather, mine.data(), wrong_count, MPI_INT,
                                every.data(), wrong_count, MPI_INT, 0, all);
        RAILYARD_ALL_FORMS(check_root, Gatherv, Igatherv, mine.data(), 2, MPI_INT, every.data(),
                           counts.data(), places.data(), MPI_INT, 0, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Gatherv, Igatherv, mine.data(), wrong_count, MPI_INT,
                                every.data(), counts.data(), places.data(), MPI_INT, 0, all);
        RAILYARD_ALL_FORMS(sum_is(rank + 1), Scatter, Iscatter, expected.data(), 2, MPI_INT,
                           one.data(), 2, MPI_INT, 0, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Scatter, Iscatter, expected.data(), wrong_count,
                                MPI_INT, one.data(), wrong_count, MPI_INT, 0, all);
        RAILYARD_ALL_FORMS(sum_is(rank + 1), Scatterv, Iscatterv, expected.data(), counts.data(),
                           places.data(), MPI_INT, one.data(), 2, MPI_INT, 0, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Scatterv, Iscatterv, expected.data(), counts.data(),
                                places.data(), MPI_INT, one.data(), wrong_count, MPI_INT, 0, all);

        RAILYARD_ALL_FORMS(check_every, Allgather, Iallgather, mine.data(), 2, MPI_INT,
                           every.data(), 2, MPI_INT, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Allgather, Iallgather, mine.data(), wrong_count,
                                MPI_INT, every.data(), 2, MPI_INT, all);
        RAILYARD_ALL_FORMS(check_every, Allgatherv, Iallgatherv, mine.data(), 2, MPI_INT,
                           every.data(), counts.data(), places.data(), MPI_INT, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Allgatherv, Iallgatherv, mine.data(), wrong_count,
                                MPI_INT, every.data(), counts.data(), places.data(), MPI_INT, all);

        const Numbers for_all(static_cast<std::size_t>(2 * ranks), rank + 1);
        RAILYARD_ALL_FORMS(check_every, Alltoall, Ialltoall, for_all.data(), 2, MPI_INT,
                           every.data(), 2, MPI_INT, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Alltoall, Ialltoall, for_all.data(), wrong_count,
                                MPI_INT, every.data(), 2, MPI_INT, all);
        const std::vector<MPI_Count> bad_counts(static_cast<std::size_t>(ranks), wrong_count);
        RAILYARD_ALL_FORMS(check_every, Alltoallv, Ialltoallv, for_all.data(), counts.data(),
                           places.data(), MPI_INT, every.data(), counts.data(), places.data(),
                           MPI_INT, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Alltoallv, Ialltoallv, for_all.data(),
                                bad_counts.data(), places.data(), MPI_INT, every.data(),
                                counts.data(), places.data(), MPI_INT, all);
        RAILYARD_ALL_FORMS(check_every, Alltoallw, Ialltoallw, for_all.data(), counts.data(),
                           places_in_bytes.data(), types.data(), every.data(), counts.data(),
                           places_in_bytes.data(), types.data(), all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Alltoallw, Ialltoallw, for_all.data(),
                                bad_counts.data(), places_in_bytes.data(), types.data(),
                                every.data(), counts.data(), places_in_bytes.data(), types.data(),
                                all);

        RAILYARD_ALL_FORMS(sum_at_root, Reduce, Ireduce, mine.data(), one.data(), 2, MPI_INT,
                           MPI_SUM, 0, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Reduce, Ireduce, mine.data(), one.data(),
                                wrong_count, MPI_INT, MPI_SUM, 0, all);
        RAILYARD_ALL_FORMS(sum_is(6), Allreduce, Iallreduce, mine.data(), one.data(), 2, MPI_INT,
                           MPI_SUM, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Allreduce, Iallreduce, mine.data(), one.data(),
                                wrong_count, MPI_INT, MPI_SUM, all);
        RAILYARD_ALL_FORMS(sum_is(6), Reduce_scatter_block, Ireduce_scatter_block, for_all.data(),
                           one.data(), 2, MPI_INT, MPI_SUM, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Reduce_scatter_block, Ireduce_scatter_block,
                                for_all.data(), one.data(), wrong_count, MPI_INT, MPI_SUM, all);
        RAILYARD_ALL_FORMS(sum_is(6), Reduce_scatter, Ireduce_scatter, for_all.data(), one.data(),
                           counts.data(), MPI_INT, MPI_SUM, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Reduce_scatter, Ireduce_scatter, for_all.data(),
                                one.data(), bad_counts.data(), MPI_INT, MPI_SUM, all);
        RAILYARD_ALL_FORMS(sum_is((rank + 1) * (rank + 2) / 2), Scan, Iscan, mine.data(),
                           one.data(), 2, MPI_INT, MPI_SUM, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Scan, Iscan, mine.data(), one.data(), wrong_count,
                                MPI_INT, MPI_SUM, all);
        RAILYARD_ALL_FORMS(sum_is(rank * (rank + 1) / 2), Exscan, Iexscan, mine.data(), one.data(),
                           2, MPI_INT, MPI_SUM, all);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Exscan, Iexscan, mine.data(), one.data(),
                                wrong_count, MPI_INT, MPI_SUM, all);
    });
}

TEST_P(LargeCountCollectives, OfNeighboursAreTheSame) {
    run(3, [](int rank, int ranks) {
        MPI_Comm ring = MPI_COMM_NULL;
        const int periodic = 1;
        MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
        MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
        const int below = (rank + ranks - 1) % ranks;
        const int above = (rank + 1) % ranks;
        const Numbers mine(2, rank);
        const Numbers both{rank, rank, rank, rank};
        Numbers came(4, -1);
        const std::vector<MPI_Count> counts{2, 2};
        const std::vector<MPI_Count> bad_counts{wrong_count, wrong_count};
        const std::vector<MPI_Aint> places{0, 2};
        const std::vector<MPI_Aint> places_in_bytes{0, 8};
        const std::vector<MPI_Datatype> types(2, MPI_INT);
        const auto check = [&] {
            EXPECT_THAT(came, ElementsAre(below, below, above, above));
            came.assign(4, -1);
        };
        RAILYARD_ALL_FORMS(check, Neighbor_allgather, Ineighbor_allgather, mine.data(), 2, MPI_INT,
                           came.data(), 2, MPI_INT, ring);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Neighbor_allgather, Ineighbor_allgather, mine.data(),
                                wrong_count, MPI_INT, came.data(), 2, MPI_INT, ring);
        RAILYARD_ALL_FORMS(check, Neighbor_allgatherv, Ineighbor_allgatherv, mine.data(), 2,
                           MPI_INT, came.data(), counts.data(), places.data(), MPI_INT, ring);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Neighbor_allgatherv, Ineighbor_allgatherv,
                                mine.data(), wrong_count, MPI_INT, came.data(), counts.data(),
                                places.data(), MPI_INT, ring);
        RAILYARD_ALL_FORMS(check, Neighbor_alltoall, Ineighbor_alltoall, both.data(), 2, MPI_INT,
                           came.data(), 2, MPI_INT, ring);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Neighbor_alltoall, Ineighbor_alltoall, both.data(),
                                wrong_count, MPI_INT, came.data(), 2, MPI_INT, ring);
        RAILYARD_ALL_FORMS(check, Neighbor_alltoallv, Ineighbor_alltoallv, both.data(),
                           counts.data(), places.data(), MPI_INT, came.data(), counts.data(),
                           places.data(), MPI_INT, ring);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Neighbor_alltoallv, Ineighbor_alltoallv, both.data(),
                                bad_counts.data(), places.data(), MPI_INT, came.data(),
                                counts.data(), places.data(), MPI_INT, ring);
        RAILYARD_ALL_FORMS(check, Neighbor_alltoallw, Ineighbor_alltoallw, both.data(),
                           counts.data(), places_in_bytes.data(), types.data(), came.data(),
                           counts.data(), places_in_bytes.data(), types.data(), ring);
        RAILYARD_ALL_FORMS_FAIL(MPI_ERR_COUNT, Neighbor_alltoallw, Ineighbor_alltoallw, both.data(),
                                bad_counts.data(), places_in_bytes.data(), types.data(),
                                came.data(), counts.data(), places_in_bytes.data(), types.data(),
                                ring);
        MPI_Comm_free(&ring);
    });
}

}  // namespace
}  // namespace railyard::mpi
