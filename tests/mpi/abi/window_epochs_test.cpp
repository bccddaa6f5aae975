// Synchronisation of windows: what each kind of epoch promises, and calls at the wrong time.

#include "mpi/abi/windows.hpp"

namespace railyard::mpi {
namespace {

using WindowEpochs = OnFlavors;
INSTANTIATE_TEST_SUITE_P(Flavors, WindowEpochs,
                         testing::ValuesIn(flavors_on({std::begin(window_fabrics),
                                                       std::end(window_fabrics)})),
                         flavor_name);

using Number = std::int64_t;

void put(const NumberWindow& window, int target, int number, Number value) {
    // The value lives until the epoch ends in memory that nobody reuses.
    thread_local std::array<Number, 64> values;
    thread_local std::size_t next = 0;
    Number& kept = values[next++ % values.size()];
    kept = value;
    EXPECT_EQ(MPI_Put(&kept, 1, MPI_INT64_T, target, window.at(target, number), 1, MPI_INT64_T,
                      window.win),
              MPI_SUCCESS);
}

MPI_Group group_of(const std::vector<int>& ranks) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group);
    MPI_Group_free(&world);
    return group;
}

TEST_P(WindowEpochs, StartAndPostMeet) {
    run(4, [&](int rank, int size) {
        NumberWindow window(flavor(), size);
        MPI_Group next = group_of({(rank + 1) % size, (rank + 2) % size});
        MPI_Group previous = group_of({(rank + size - 1) % size, (rank + size - 2) % size});
        for (int round = 1; round <= 10; ++round) {
            EXPECT_EQ(MPI_Win_post(previous, 0, window.win), MPI_SUCCESS);
            EXPECT_EQ(MPI_Win_start(next, 0, window.win), MPI_SUCCESS);
            put(window, (rank + 1) % size, rank, 100 * round + rank);
            put(window, (rank + 2) % size, rank, 100 * round + rank);
            EXPECT_EQ(MPI_Win_complete(window.win), MPI_SUCCESS);
            if (round % 2 == 0) {
                EXPECT_EQ(MPI_Win_wait(window.win), MPI_SUCCESS);
            } else {
                int flag = 0;
                while (flag == 0)
                    ASSERT_EQ(MPI_Win_test(window.win, &flag), MPI_SUCCESS);
            }
            for (const int from : {(rank + size - 1) % size, (rank + size - 2) % size})
                EXPECT_EQ(window.numbers[from], 100 * round + from);
        }
        MPI_Group_free(&next);
        MPI_Group_free(&previous);
    });
}

TEST_P(WindowEpochs, LargePutsAreThereWhenAnEpochEnds) {
    constexpr int n = 30'000;
    run(3, [&](int rank, int size) {
        NumberWindow window(flavor(), n);
        std::vector<Number> out(n, rank + 1);
        MPI_Group all = group_of({0});
        MPI_Group others = group_of({1, 2});
        if (rank == 0) {
            MPI_Win_post(others, 0, window.win);
            MPI_Win_wait(window.win);
            EXPECT_EQ(window.numbers[n / 2 - 1], 2);
            EXPECT_EQ(window.numbers[n / 2], 3);
            EXPECT_EQ(window.numbers[n - 1], 3);
        } else {
            MPI_Win_start(all, 0, window.win);
            EXPECT_EQ(MPI_Put(out.data(), n / 2, MPI_INT64_T, 0, window.at(0, (rank - 1) * n / 2),
                              n / 2, MPI_INT64_T, window.win),
                      MPI_SUCCESS);
            MPI_Win_complete(window.win);
        }
        MPI_Group_free(&all);
        MPI_Group_free(&others);
        (void)size;
    });
}

TEST_P(WindowEpochs, ExclusiveLocksExclude) {
    run(4, [&](int rank, int size) {
        NumberWindow window(flavor(), 2);
        constexpr int times = 10;
        for (int i = 0; i < times; ++i) {
            // Read, change, write: only right if nobody comes in between.
            Number value = -1;
            EXPECT_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win), MPI_SUCCESS);
            EXPECT_EQ(
                MPI_Get(&value, 1, MPI_INT64_T, 1, window.at(1, 0), 1, MPI_INT64_T, window.win),
                MPI_SUCCESS);
            EXPECT_EQ(MPI_Win_flush(1, window.win), MPI_SUCCESS);
            put(window, 1, 0, value + 1);
            EXPECT_EQ(MPI_Win_unlock(1, window.win), MPI_SUCCESS);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_EQ(window.numbers[0], rank == 1 ? size * times : 0);
    });
}

TEST_P(WindowEpochs, SharedLocksAreHeldTogether) {
    run(3, [&](int rank, int size) {
        NumberWindow window(flavor(), size);
        EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win), MPI_SUCCESS);
        // All are inside now, or this never ends.
        MPI_Barrier(MPI_COMM_WORLD);
        put(window, 0, rank, 7 + rank);
        EXPECT_EQ(MPI_Win_flush_local(0, window.win), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_unlock(0, window.win), MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank != 0) return;
        for (int i = 0; i < size; ++i)
            EXPECT_EQ(window.numbers[i], 7 + i);
    });
}

TEST_P(WindowEpochs, AllAreLockedAtOnce) {
    run(4, [&](int rank, int size) {
        NumberWindow window(flavor(), size);
        for (int round = 0; round < 3; ++round) {
            EXPECT_EQ(MPI_Win_lock_all(0, window.win), MPI_SUCCESS);
            for (int target = 0; target < size; ++target)
                put(window, target, rank, round + rank);
            EXPECT_EQ(MPI_Win_flush_local_all(window.win), MPI_SUCCESS);
            EXPECT_EQ(MPI_Win_flush_all(window.win), MPI_SUCCESS);
            MPI_Barrier(MPI_COMM_WORLD);
            EXPECT_EQ(MPI_Win_sync(window.win), MPI_SUCCESS);
            for (int i = 0; i < size; ++i)
                EXPECT_EQ(window.numbers[i], round + i);
            MPI_Barrier(MPI_COMM_WORLD);
            EXPECT_EQ(MPI_Win_unlock_all(window.win), MPI_SUCCESS);
        }
    });
}

TEST_P(WindowEpochs, SeveralTargetsMayBeLocked) {
    run(3, [&](int rank, int size) {
        NumberWindow window(flavor(), size);
        if (rank == 0) {
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window.win);
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window.win);
            put(window, 1, 0, 1);
            put(window, 2, 0, 2);
            EXPECT_EQ(MPI_Win_flush_all(window.win), MPI_SUCCESS);
            EXPECT_EQ(MPI_Win_unlock(1, window.win), MPI_SUCCESS);
            EXPECT_EQ(MPI_Win_flush(1, window.win), MPI_ERR_RMA_SYNC);
            EXPECT_EQ(MPI_Win_flush_local_all(window.win), MPI_SUCCESS);
            EXPECT_EQ(MPI_Win_unlock(2, window.win), MPI_SUCCESS);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_EQ(window.numbers[0], rank);
    });
}

TEST_P(WindowEpochs, CallsAtTheWrongTimeAreRefused) {
    run(2, [&](int rank, int) {
        NumberWindow window(flavor(), 1);
        const MPI_Win win = window.win;
        const MPI_Aint at = window.at(rank, 0);
        Number x = 0;
        MPI_Group self = group_of({rank});
        EXPECT_EQ(MPI_Put(&x, 1, MPI_INT64_T, rank, at, 1, MPI_INT64_T, win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
        int flag = 0;
        EXPECT_EQ(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_unlock(rank, win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_flush(rank, win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_flush_local(rank, win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_flush_local_all(win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_lock(17, rank, 0, win), MPI_ERR_LOCKTYPE);
        EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 5, 0, win), MPI_ERR_RANK);
        EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT);
        EXPECT_EQ(MPI_Win_fence(1, win), MPI_ERR_ASSERT);
        EXPECT_EQ(MPI_Win_lock_all(MPI_MODE_NOSTORE, win), MPI_ERR_ASSERT);
        EXPECT_EQ(MPI_Win_post(self, MPI_MODE_NOPRECEDE, win), MPI_ERR_ASSERT);
        EXPECT_EQ(MPI_Win_start(self, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT);
        EXPECT_EQ(MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);

        EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_CONFLICT);
        EXPECT_EQ(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_start(self, 0, win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(
            MPI_Put(&x, 1, MPI_INT64_T, 1 - rank, window.at(1 - rank, 0), 1, MPI_INT64_T, win),
            MPI_ERR_RMA_SYNC);
        MPI_Win copy = win;
        EXPECT_EQ(MPI_Win_free(&copy), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_unlock(rank, win), MPI_SUCCESS);

        EXPECT_EQ(MPI_Win_post(self, 0, win), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_post(self, 0, win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_start(self, 0, win), MPI_SUCCESS);
        EXPECT_EQ(MPI_Put(&x, 1, MPI_INT64_T, rank, at, 1, MPI_INT64_T, win), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_complete(win), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_wait(win), MPI_SUCCESS);

        MPI_Win_fence(0, win);
        MPI_Put(&x, 1, MPI_INT64_T, rank, at, 1, MPI_INT64_T, win);
        EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_SYNC);
        MPI_Win_fence(0, win);
        // A fence that nothing has followed need not be closed.
        EXPECT_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win), MPI_SUCCESS);
        EXPECT_EQ(MPI_Win_unlock(rank, win), MPI_SUCCESS);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        EXPECT_EQ(MPI_Put(&x, 1, MPI_INT64_T, rank, at, 1, MPI_INT64_T, win), MPI_ERR_RMA_SYNC);
        MPI_Group_free(&self);
    });
}

TEST_P(WindowEpochs, WithoutLocksThereAreNone) {
    if (flavor() != MPI_WIN_FLAVOR_CREATE) return;
    run(1, [](int, int) {
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        MPI_Info_set(info, "no_locks", "true");
        MPI_Win win = MPI_WIN_NULL;
        MPI_Win_create(nullptr, 0, 1, info, MPI_COMM_WORLD, &win);
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        MPI_Info_free(&info);
        EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
        EXPECT_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
        MPI_Win_free(&win);
    });
}

// What others may rely on, at several numbers of ranks.

TEST_P(WindowEpochs, WhatWasFlushedIsThereWhenAMessageTells) {
    for (const int ranks : {2, 5, 16})
        run(ranks, [&](int rank, int size) {
            NumberWindow window(flavor(), size);
            MPI_Win_lock_all(0, window.win);
            const int next = (rank + 1) % size;
            const int previous = (rank + size - 1) % size;
            for (int round = 1; round <= 20; ++round) {
                put(window, next, rank, round);
                MPI_Win_flush(next, window.win);
                MPI_Sendrecv(nullptr, 0, MPI_INT, next, 0, nullptr, 0, MPI_INT, previous, 0,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Win_sync(window.win);
                EXPECT_EQ(window.numbers[previous], round);
                MPI_Barrier(MPI_COMM_WORLD);
            }
            MPI_Win_unlock_all(window.win);
        });
}

/// Dekker: each puts its own flag, flushes, and looks at the other's. Not both may miss it.
TEST_P(WindowEpochs, AFlushIsNotPassedByALaterGet) {
    run(2, [&](int rank, int) {
        NumberWindow window(flavor(), 2);
        MPI_Win_lock_all(0, window.win);
        for (int round = 1; round <= 200; ++round) {
            MPI_Barrier(MPI_COMM_WORLD);
            Number seen = -1;
            put(window, 0, rank, round);
            MPI_Win_flush(0, window.win);
            MPI_Get(&seen, 1, MPI_INT64_T, 0, window.at(0, 1 - rank), 1, MPI_INT64_T, window.win);
            MPI_Win_flush(0, window.win);
            int hits = seen == round ? 1 : 0;
            MPI_Allreduce(MPI_IN_PLACE, &hits, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            ASSERT_GE(hits, 1) << round;
        }
        MPI_Win_unlock_all(window.win);
    });
}

TEST_P(WindowEpochs, AccumulatesAreAtomicAndInOrder) {
    for (const int ranks : {1, 3, 16})
        run(ranks, [&](int rank, int size) {
            NumberWindow window(flavor(), 8);
            constexpr int times = 30;
            MPI_Win_lock_all(0, window.win);
            for (int i = 0; i < times; ++i) {
                // Whole numbers, real ones by compare and swap, and pairs under the guard.
                const Number one = 1;
                const double half = 0.5;
                const double complex[2] = {1.0, -1.0};
                MPI_Accumulate(&one, 1, MPI_INT64_T, 0, window.at(0, 0), 1, MPI_INT64_T, MPI_SUM,
                               window.win);
                MPI_Accumulate(&half, 1, MPI_DOUBLE, 0, window.at(0, 1), 1, MPI_DOUBLE, MPI_SUM,
                               window.win);
                MPI_Accumulate(complex, 1, MPI_C_DOUBLE_COMPLEX, 0, window.at(0, 2), 1,
                               MPI_C_DOUBLE_COMPLEX, MPI_SUM, window.win);
                MPI_Win_flush_local(0, window.win);
            }
            // The last of a rank's own writes to a place stays.
            Number last = -1;
            for (Number i = 0; i < 5; ++i) {
                last = 10 * rank + i;
                MPI_Accumulate(&last, 1, MPI_INT64_T, 0, window.at(0, 4), 1, MPI_INT64_T,
                               MPI_REPLACE, window.win);
                MPI_Win_flush_local(0, window.win);
            }
            MPI_Win_unlock_all(window.win);
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank != 0) return;
            EXPECT_EQ(window.numbers[0], size * times);
            EXPECT_EQ(reinterpret_cast<double*>(window.numbers)[1], 0.5 * size * times);
            EXPECT_EQ(reinterpret_cast<double*>(window.numbers)[2], 1.0 * size * times);
            EXPECT_EQ(reinterpret_cast<double*>(window.numbers)[3], -1.0 * size * times);
            EXPECT_EQ(window.numbers[4] % 10, 4);
        });
}

}  // namespace
}  // namespace railyard::mpi
