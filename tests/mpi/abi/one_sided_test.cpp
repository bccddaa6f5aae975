// One-sided operations on every flavor of window: what they move and combine, and what they refuse.

#include <numeric>

#include "mpi/abi/windows.hpp"

namespace railyard::mpi {
namespace {

using OneSided = OnFlavors;
INSTANTIATE_TEST_SUITE_P(Flavors, OneSided,
                         testing::ValuesIn(flavors_on({std::begin(window_fabrics),
                                                       std::end(window_fabrics)})),
                         flavor_name);

using Number = std::int64_t;

TEST_P(OneSided, PutAndGetNumbers) {
    run(4, [&](int rank, int size) {
        NumberWindow window(flavor(), 4);
        const int next = (rank + 1) % size;
        const int previous = (rank + size - 1) % size;
        EXPECT_EQ(MPI_Win_fence(MPI_MODE_NOPRECEDE, window.win), MPI_SUCCESS);
        const Number mine = 100 + rank;
        EXPECT_EQ(
            MPI_Put(&mine, 1, MPI_INT64_T, next, window.at(next, 2), 1, MPI_INT64_T, window.win),
            MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_fence(0, window.win), MPI_SUCCESS);
        EXPECT_EQ(window.numbers[2], 100 + previous);
        EXPECT_EQ(window.numbers[1], 0);
        Number got = 0;
        EXPECT_EQ(
            MPI_Get(&got, 1, MPI_INT64_T, next, window.at(next, 2), 1, MPI_INT64_T, window.win),
            MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win), MPI_SUCCESS);
        EXPECT_EQ(got, 100 + rank);
    });
}

TEST_P(OneSided, MoveMuchOrNothing) {
    constexpr int most = 100'000;  // beyond every packet, eager limit and segment
    run(3, [&](int rank, int size) {
        NumberWindow window(flavor(), most);
        const int next = (rank + 1) % size;
        for (const int n : {0, 1, 511, 512, 5000, most}) {
            std::vector<Number> out(static_cast<std::size_t>(n));
            std::iota(out.begin(), out.end(), n + 1000 * rank);
            std::vector<Number> back(out.size(), -1);
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window.win);
            EXPECT_EQ(MPI_Put(out.data(), n, MPI_INT64_T, next, window.at(next, most - n), n,
                              MPI_INT64_T, window.win),
                      MPI_SUCCESS);
            EXPECT_EQ(MPI_Win_flush(next, window.win), MPI_SUCCESS);
            EXPECT_EQ(MPI_Get(back.data(), n, MPI_INT64_T, next, window.at(next, most - n), n,
                              MPI_INT64_T, window.win),
                      MPI_SUCCESS);
            EXPECT_EQ(MPI_Win_unlock(next, window.win), MPI_SUCCESS);
            EXPECT_EQ(back, out) << n;
        }
        MPI_Barrier(MPI_COMM_WORLD);
        const int previous = (rank + size - 1) % size;
        EXPECT_EQ(window.numbers[most - 1], most + 1000 * previous + most - 1);
    });
}

TEST_P(OneSided, PutAndGetDerivedTypes) {
    run(2, [&](int rank, int) {
        constexpr int rows = 600;
        NumberWindow window(flavor(), 4 * rows);
        MPI_Datatype column = MPI_DATATYPE_NULL;  // every fourth number
        MPI_Type_vector(rows, 1, 4, MPI_INT64_T, &column);
        MPI_Type_commit(&column);
        const int other = 1 - rank;
        std::vector<Number> out(rows);
        std::iota(out.begin(), out.end(), 1000 * (rank + 1));
        std::vector<Number> back(4 * rows, -1);
        MPI_Win_fence(0, window.win);
        EXPECT_EQ(MPI_Put(out.data(), rows, MPI_INT64_T, other, window.at(other, 1), 1, column,
                          window.win),
                  MPI_SUCCESS);
        MPI_Win_fence(0, window.win);
        for (int i = 0; i < rows; ++i) {
            EXPECT_EQ(window.numbers[4 * i + 1], 1000 * (other + 1) + i);
            EXPECT_EQ(window.numbers[4 * i + 2], 0);
        }
        // Both sides with gaps.
        EXPECT_EQ(
            MPI_Get(back.data() + 3, 1, column, other, window.at(other, 1), 1, column, window.win),
            MPI_SUCCESS);
        MPI_Type_free(&column);
        MPI_Win_fence(0, window.win);
        for (int i = 0; i < rows; ++i) {
            EXPECT_EQ(back[static_cast<std::size_t>(4 * i + 3)], 1000 * (rank + 1) + i);
            EXPECT_EQ(back[static_cast<std::size_t>(4 * i + 2)], -1);
        }
    });
}

TEST_P(OneSided, Accumulate) {
    run(4, [&](int rank, int size) {
        NumberWindow window(flavor(), 1200);
        MPI_Win_fence(0, window.win);
        std::vector<Number> out(1200, rank + 1);
        for (int target = 0; target < size; ++target)
            EXPECT_EQ(MPI_Accumulate(out.data(), 1200, MPI_INT64_T, target, window.at(target, 0),
                                     1200, MPI_INT64_T, MPI_SUM, window.win),
                      MPI_SUCCESS);
        MPI_Win_fence(0, window.win);
        EXPECT_THAT(std::vector<Number>(window.numbers, window.numbers + 1200),
                    testing::Each(size * (size + 1) / 2));
        MPI_Barrier(MPI_COMM_WORLD);
        const Number high = 50 + rank;
        MPI_Accumulate(&high, 1, MPI_INT64_T, 0, window.at(0, 7), 1, MPI_INT64_T, MPI_MAX,
                       window.win);
        MPI_Win_fence(0, window.win);
        EXPECT_EQ(window.numbers[7], rank == 0 ? 50 + size - 1 : size * (size + 1) / 2);
    });
}

TEST_P(OneSided, AccumulateOtherTypes) {
    run(3, [&](int rank, int size) {
        struct Pair {
            double value;
            int place;
        };
        NumberWindow window(flavor(), 64);
        auto* const bytes = reinterpret_cast<std::byte*>(window.numbers);
        auto* const pairs = reinterpret_cast<Pair*>(bytes);
        auto* const reals = reinterpret_cast<double*>(bytes + 8 * 16);
        auto* const complex = reinterpret_cast<double*>(bytes + 8 * 32);
        for (int i = 0; i < 3; ++i)
            pairs[i] = {100.0, -1};
        MPI_Win_fence(0, window.win);
        const Pair mine[3] = {{10.0 - rank, rank}, {20.0, rank}, {300.0, rank}};
        EXPECT_EQ(MPI_Accumulate(mine, 3, MPI_DOUBLE_INT, 0, window.at(0, 0), 3, MPI_DOUBLE_INT,
                                 MPI_MINLOC, window.win),
                  MPI_SUCCESS);
        const double half[2] = {0.5, 2.0};
        EXPECT_EQ(MPI_Accumulate(half, 2, MPI_DOUBLE, 0, window.at(0, 16), 2, MPI_DOUBLE, MPI_SUM,
                                 window.win),
                  MPI_SUCCESS);
        EXPECT_EQ(MPI_Accumulate(half, 1, MPI_C_DOUBLE_COMPLEX, 0, window.at(0, 32), 1,
                                 MPI_C_DOUBLE_COMPLEX, MPI_SUM, window.win),
                  MPI_SUCCESS);
        const unsigned char bit = static_cast<unsigned char>(1 << rank);
        EXPECT_EQ(MPI_Accumulate(&bit, 1, MPI_BYTE, 0, window.at(0, 48), 1, MPI_BYTE, MPI_BOR,
                                 window.win),
                  MPI_SUCCESS);
        MPI_Win_fence(0, window.win);
        if (rank != 0) return;
        EXPECT_EQ(pairs[0].value, 10.0 - (size - 1));
        EXPECT_EQ(pairs[0].place, size - 1);
        EXPECT_EQ(pairs[1].place, 0);
        EXPECT_EQ(pairs[2].place, -1);
        EXPECT_EQ(reals[0], 0.5 * size);
        EXPECT_EQ(reals[1], 2.0 * size);
        EXPECT_EQ(complex[1], 2.0 * size);
        EXPECT_EQ(static_cast<int>(bytes[8 * 48]), (1 << size) - 1);
    });
}

TEST_P(OneSided, AccumulateDerivedTypes) {
    run(2, [&](int rank, int) {
        NumberWindow window(flavor(), 3000);
        MPI_Datatype spread = MPI_DATATYPE_NULL;
        MPI_Type_vector(1000, 1, 3, MPI_INT64_T, &spread);
        MPI_Type_commit(&spread);
        std::vector<Number> ones(1000, 1);
        std::vector<Number> old(1000, -1);
        MPI_Win_lock_all(0, window.win);
        EXPECT_EQ(MPI_Accumulate(ones.data(), 1000, MPI_INT64_T, 1, window.at(1, 0), 1, spread,
                                 MPI_SUM, window.win),
                  MPI_SUCCESS);
        MPI_Win_flush(1, window.win);
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_EQ(MPI_Get_accumulate(nullptr, 0, MPI_INT64_T, old.data(), 1000, MPI_INT64_T, 1,
                                     window.at(1, 0), 1, spread, MPI_NO_OP, window.win),
                  MPI_SUCCESS);
        MPI_Win_unlock_all(window.win);
        EXPECT_THAT(old, testing::Each(2));
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            EXPECT_EQ(window.numbers[3], 2);
            EXPECT_EQ(window.numbers[4], 0);
        }
        MPI_Type_free(&spread);
    });
}

TEST_P(OneSided, FetchWhatWasThere) {
    run(4, [&](int, int size) {
        NumberWindow window(flavor(), 2);
        constexpr int times = 25;
        std::vector<int> seen(static_cast<std::size_t>(size * times), 0);
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window.win);
        for (int i = 0; i < times; ++i) {
            const Number one = 1;
            Number ticket = -1;
            EXPECT_EQ(MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, 0, window.at(0, 0), MPI_SUM,
                                       window.win),
                      MPI_SUCCESS);
            EXPECT_EQ(MPI_Win_flush(0, window.win), MPI_SUCCESS);
            ASSERT_TRUE(ticket >= 0 && ticket < size * times) << ticket;
            ++seen[static_cast<std::size_t>(ticket)];
        }
        Number sum = -1;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Fetch_and_op(nullptr, &sum, MPI_INT64_T, 0, window.at(0, 0), MPI_NO_OP, window.win);
        MPI_Win_unlock_all(window.win);
        EXPECT_EQ(sum, size * times);
        // Every ticket was drawn by one rank.
        MPI_Allreduce(MPI_IN_PLACE, seen.data(), static_cast<int>(seen.size()), MPI_INT, MPI_SUM,
                      MPI_COMM_WORLD);
        EXPECT_THAT(seen, testing::Each(1));
    });
}

TEST_P(OneSided, CompareAndSwap) {
    run(4, [&](int rank, int size) {
        NumberWindow window(flavor(), 1);
        MPI_Win_lock_all(0, window.win);
        // Each takes its turn: the word leads from rank to rank.
        for (;;) {
            const Number expected = rank;
            const Number next = rank + 1;
            Number found = -1;
            EXPECT_EQ(MPI_Compare_and_swap(&next, &expected, &found, MPI_INT64_T, 1,
                                           window.at(1, 0), window.win),
                      MPI_SUCCESS);
            MPI_Win_flush(1, window.win);
            if (found == expected) break;
            ASSERT_TRUE(found >= 0 && found < rank);
            if (rank == 1) MPI_Win_sync(window.win);  // on its own memory no time passes
        }
        MPI_Win_unlock_all(window.win);
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_EQ(window.numbers[0], rank == 1 ? size : 0);
    });
}

TEST_P(OneSided, GiveRequests) {
    run(2, [&](int rank, int) {
        constexpr int n = 20'000;
        NumberWindow window(flavor(), n);
        const int other = 1 - rank;
        std::vector<Number> out(n, 7);
        std::vector<Number> in(n, -1);
        std::vector<Number> old(n, -1);
        MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Win_lock_all(0, window.win);
        EXPECT_EQ(MPI_Rput(out.data(), n, MPI_INT64_T, other, window.at(other, 0), n, MPI_INT64_T,
                           window.win, &requests[0]),
                  MPI_SUCCESS);
        EXPECT_EQ(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
        MPI_Win_flush(other, window.win);
        EXPECT_EQ(MPI_Rget(in.data(), n, MPI_INT64_T, other, window.at(other, 0), n, MPI_INT64_T,
                           window.win, &requests[0]),
                  MPI_SUCCESS);
        EXPECT_EQ(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_THAT(in, testing::Each(7));
        EXPECT_EQ(MPI_Raccumulate(out.data(), n, MPI_INT64_T, other, window.at(other, 0), n,
                                  MPI_INT64_T, MPI_SUM, window.win, &requests[0]),
                  MPI_SUCCESS);
        EXPECT_EQ(MPI_Rget_accumulate(out.data(), n, MPI_INT64_T, old.data(), n, MPI_INT64_T, other,
                                      window.at(other, 0), n, MPI_INT64_T, MPI_SUM, window.win,
                                      &requests[1]),
                  MPI_SUCCESS);
        // Nobody waits for this one; the unlock does.
        EXPECT_EQ(MPI_Rget_accumulate(nullptr, 0, MPI_INT64_T, in.data(), 1, MPI_INT64_T, other,
                                      window.at(other, 0), 1, MPI_INT64_T, MPI_NO_OP, window.win,
                                      &requests[2]),
                  MPI_SUCCESS);
        EXPECT_EQ(MPI_Request_free(&requests[2]), MPI_SUCCESS);
        EXPECT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        EXPECT_THAT(old, testing::Each(14));  // accumulates to one place keep their order
        MPI_Win_unlock_all(window.win);
        EXPECT_EQ(in[0], 21);
        EXPECT_EQ(MPI_Rput(nullptr, 0, MPI_INT64_T, MPI_PROC_NULL, 0, 0, MPI_INT64_T, window.win,
                           &requests[0]),
                  MPI_SUCCESS);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_EQ(window.numbers[n - 1], 21);
    });
}

TEST_P(OneSided, RefuseWrongArguments) {
    run(2, [&](int rank, int) {
        NumberWindow window(flavor(), 2);
        const MPI_Win win = window.win;
        const bool dynamic = flavor() == MPI_WIN_FLAVOR_DYNAMIC;
        Number x = 0;
        Number y = 0;
        MPI_Win_fence(0, win);
        EXPECT_EQ(MPI_Put(&x, 1, MPI_INT64_T, 2, 0, 1, MPI_INT64_T, win), MPI_ERR_RANK);
        EXPECT_EQ(MPI_Put(&x, -1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win), MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Put(&x, 1, MPI_INT64_T, rank, window.at(rank, 0), 2, MPI_INT64_T, win),
                  MPI_ERR_TYPE);
        EXPECT_EQ(MPI_Get(nullptr, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Get(&x, 1, MPI_INT64_T, rank, window.at(rank, 2), 1, MPI_INT64_T, win),
                  MPI_ERR_RMA_RANGE);
        EXPECT_EQ(MPI_Get(&x, 1, MPI_INT64_T, rank, -1, 1, MPI_INT64_T, win), MPI_ERR_RMA_RANGE);
        if (!dynamic) {
            EXPECT_EQ(MPI_Put(&x, 1, MPI_INT64_T, 1 - rank, 2, 1, MPI_INT64_T, win),
                      MPI_ERR_RMA_RANGE);
            EXPECT_EQ(MPI_Put(&x, 1, MPI_INT64_T, 1 - rank, MPI_Aint{1} << 62, 1, MPI_INT64_T, win),
                      MPI_ERR_RMA_RANGE);
        }
        EXPECT_EQ(MPI_Accumulate(&x, 1, MPI_INT64_T, rank, window.at(rank, 0), 1, MPI_INT64_T,
                                 MPI_NO_OP, win),
                  MPI_ERR_OP);
        EXPECT_EQ(MPI_Accumulate(&x, 1, MPI_DOUBLE, rank, window.at(rank, 0), 1, MPI_DOUBLE,
                                 MPI_BAND, win),
                  MPI_ERR_OP);
        EXPECT_EQ(MPI_Accumulate(&x, 1, MPI_DOUBLE, rank, window.at(rank, 0), 1, MPI_INT64_T,
                                 MPI_SUM, win),
                  MPI_ERR_TYPE);
        MPI_Op own = MPI_OP_NULL;
        MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &own);
        EXPECT_EQ(
            MPI_Accumulate(&x, 1, MPI_INT64_T, rank, window.at(rank, 0), 1, MPI_INT64_T, own, win),
            MPI_ERR_OP);
        MPI_Op_free(&own);
        EXPECT_EQ(MPI_Compare_and_swap(&x, &x, &y, MPI_DOUBLE, rank, window.at(rank, 0), win),
                  MPI_ERR_TYPE);
        MPI_Datatype two = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(2, MPI_INT64_T, &two);
        MPI_Type_commit(&two);
        EXPECT_EQ(MPI_Fetch_and_op(&x, &y, two, rank, window.at(rank, 0), MPI_SUM, win),
                  MPI_ERR_TYPE);
        MPI_Type_free(&two);
        EXPECT_EQ(MPI_Put(&x, 1, MPI_INT64_T, MPI_PROC_NULL, 99, 1, MPI_INT64_T, win), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
    });
}

TEST_P(OneSided, OnlyReachWhatIsAttached) {
    if (flavor() != MPI_WIN_FLAVOR_DYNAMIC) return;
    run(2, [&](int rank, int) {
        NumberWindow window(flavor(), 4);
        MPI_Win_lock_all(0, window.win);
        Number x = 5;
        const int other = 1 - rank;
        // The target alone knows: what it says comes with the next synchronisation.
        EXPECT_EQ(
            MPI_Put(&x, 1, MPI_INT64_T, other, window.at(other, 4), 1, MPI_INT64_T, window.win),
            MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_flush(other, window.win), MPI_ERR_RMA_RANGE);
        EXPECT_EQ(MPI_Get(&x, 1, MPI_INT64_T, other, 16, 1, MPI_INT64_T, window.win), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_flush_all(window.win), MPI_ERR_RMA_RANGE);
        EXPECT_EQ(x, 0);
        EXPECT_EQ(MPI_Win_flush_all(window.win), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_unlock_all(window.win), MPI_SUCCESS);
    });
}

}  // namespace
}  // namespace railyard::mpi
