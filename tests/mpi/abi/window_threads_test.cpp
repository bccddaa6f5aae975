// Windows where several threads of a rank call, and where targets compute while others reach them.

#include <atomic>
#include <numeric>

#include "launch/job/job.hpp"
#include "mpi/abi/threads.hpp"
#include "mpi/abi/windows.hpp"

namespace railyard::mpi {
namespace {

using WindowThreads = OnThreads;
RAILYARD_ON_THREADS(WindowThreads);

using Number = std::int64_t;

TEST_P(WindowThreads, SeveralThreadsAccumulateAndFlush) {
    for (const int flavor : {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE})
        run(3, [&](int rank, int size) {
            NumberWindow window(flavor, 4);
            constexpr int threads = 3;
            const int times = thread_times(40);
            std::vector<std::atomic<int>> seen(static_cast<std::size_t>(threads * size * times));
            MPI_Win_lock_all(0, window.win);
            run_threads(threads, [&](int thread) {
                for (int i = 0; i < times; ++i) {
                    const Number one = 1;
                    Number ticket = -1;
                    MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, 1, window.at(1, 0), MPI_SUM,
                                     window.win);
                    thread == 0 ? MPI_Win_flush_all(window.win) : MPI_Win_flush(1, window.win);
                    ASSERT_TRUE(ticket >= 0 && ticket < threads * size * times) << ticket;
                    ++seen[static_cast<std::size_t>(ticket)];
                }
            });
            MPI_Win_unlock_all(window.win);
            std::vector<int> all(seen.begin(), seen.end());
            MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_INT, MPI_SUM,
                          MPI_COMM_WORLD);
            EXPECT_THAT(all, testing::Each(1));
            (void)rank;
        });
}

TEST_P(WindowThreads, SeveralThreadsPutAndGet) {
    for (const int flavor : {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE})
        run(3, [&](int rank, int size) {
            constexpr int threads = 3;
            constexpr int n = 700;
            NumberWindow window(flavor, threads * size * n);
            MPI_Win_lock_all(0, window.win);
            run_threads(threads, [&](int thread) {
                for (int i = 0; i < thread_times(40); ++i) {
                    const int target = (rank + i) % size;
                    const int count = i % 2 == 0 ? 1 : n;
                    const MPI_Aint at = window.at(target, (rank * threads + thread) * n);
                    const std::vector<Number> out(n, 100 * i + thread);
                    std::vector<Number> back(n, -1);
                    MPI_Put(out.data(), count, MPI_INT64_T, target, at, count, MPI_INT64_T,
                            window.win);
                    MPI_Win_flush(target, window.win);
                    MPI_Get(back.data(), count, MPI_INT64_T, target, at, count, MPI_INT64_T,
                            window.win);
                    MPI_Win_flush(target, window.win);
                    back.resize(static_cast<std::size_t>(count));
                    EXPECT_THAT(back, testing::Each(100 * i + thread));
                }
            });
            MPI_Win_unlock_all(window.win);
            MPI_Barrier(MPI_COMM_WORLD);
        });
}

TEST_P(WindowThreads, EachThreadHasItsWindow) {
    run(2, [](int rank, int) {
        constexpr int threads = 3;
        std::array<MPI_Comm, threads> comms{};
        for (MPI_Comm& comm : comms)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        run_threads(threads, [&](int thread) {
            const MPI_Comm comm = comms[static_cast<std::size_t>(thread)];
            for (int i = 0; i < thread_times(5); ++i) {
                NumberWindow window(all_flavors[(thread + i) % 3], 3000, comm);
                const std::vector<Number> out(3000, 10 * thread + i);
                const int other = 1 - rank;
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window.win);
                MPI_Put(out.data(), 3000, MPI_INT64_T, other, window.at(other, 0), 3000,
                        MPI_INT64_T, window.win);
                MPI_Win_unlock(other, window.win);
                MPI_Barrier(comm);
                EXPECT_EQ(window.numbers[0], 10 * thread + i);
                EXPECT_EQ(window.numbers[2999], 10 * thread + i);
            }
        });
        for (MPI_Comm& comm : comms)
            MPI_Comm_free(&comm);
    });
}

/// The target makes no call until its memory has changed.
void reach_a_rank_that_computes(int flavor) {
    NumberWindow window(flavor, 1);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        const Number one = 1;
        const Number two = 2;
        Number old = -1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win);
        MPI_Accumulate(&one, 1, MPI_INT64_T, 1, window.at(1, 0), 1, MPI_INT64_T, MPI_REPLACE,
                       window.win);
        MPI_Win_flush(1, window.win);
        MPI_Compare_and_swap(&two, &one, &old, MPI_INT64_T, 1, window.at(1, 0), window.win);
        MPI_Win_unlock(1, window.win);
        EXPECT_EQ(old, 1);
    } else {
        std::atomic_ref<Number> number(window.numbers[0]);
        while (number.load(std::memory_order_acquire) != 2)
            std::this_thread::yield();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

job::Result run_with(const std::string& fabric, int ranks,
                     const std::vector<std::pair<std::string, std::string>>& settings,
                     const std::function<void()>& body) {
    job::Options options = options_for({fabric, job::Kind::threads}, ranks);
    options.settings["mpi"] = settings;
    return job::run(options, [&](job::Rank&) {
        MPI_Init(nullptr, nullptr);
        body();
        MPI_Finalize();
    });
}

TEST(WindowTargets, ThatComputeAreReachedThroughSharedMemory) {
    const auto result =
        run_with("shm", 2, {}, [] { reach_a_rank_that_computes(MPI_WIN_FLAVOR_ALLOCATE); });
    EXPECT_TRUE(result.ok) << result.failure;
}

/// Memory of its user's own: puts and gets need nothing of the target, which makes no call.
TEST(WindowTargets, ThatComputeAreWrittenAndReadByTheKernel) {
    constexpr int n = 5000;
    std::atomic<bool> is_done = false;
    const auto result = run_with("shm", 2, {}, [&] {
        NumberWindow window(MPI_WIN_FLAVOR_CREATE, n);
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        window.numbers[0] = 10 + rank;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Datatype pairs = MPI_DATATYPE_NULL;
            MPI_Type_vector(4, 100, 200, MPI_INT64_T, &pairs);
            MPI_Type_commit(&pairs);
            std::vector<Number> out(800, 7);
            Number back = -1;
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win);
            MPI_Get(&back, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window.win);
            // Gaps here and there, and none.
            MPI_Put(out.data(), 1, pairs, 1, 1000, 400, MPI_INT64_T, window.win);
            MPI_Put(out.data(), 400, MPI_INT64_T, 1, 2000, 1, pairs, window.win);
            MPI_Win_unlock(1, window.win);
            EXPECT_EQ(back, 11);
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window.win);
            MPI_Get(out.data(), 1, pairs, 1, 1000 - 300, 400, MPI_INT64_T, window.win);
            MPI_Win_unlock(1, window.win);
            EXPECT_THAT(std::vector(out.begin() + 400, out.begin() + 500), testing::Each(0));
            EXPECT_THAT(std::vector(out.begin() + 600, out.begin() + 700), testing::Each(7));
            MPI_Type_free(&pairs);
            is_done = true;
        }
        while (!is_done)
            std::this_thread::yield();
        if (rank == 1) {
            EXPECT_EQ(std::accumulate(window.numbers + 1000, window.numbers + 1400, Number{0}),
                      400 * 7);
            EXPECT_EQ(std::accumulate(window.numbers + 2000, window.numbers + 2800, Number{0}),
                      400 * 7);
            EXPECT_EQ(window.numbers[2100], 0);
            EXPECT_EQ(window.numbers[2200], 7);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

/// The same for all that combines, and for elements apart; three ranks, as some met late before.
class WindowTargetsOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Flavors, WindowTargetsOf,
                         testing::Values(MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_DYNAMIC,
                                         MPI_WIN_FLAVOR_ALLOCATE));

TEST_P(WindowTargetsOf, ThatComputeAreCombinedWith) {
    constexpr int times = 50;
    std::atomic<int> done = 0;
    const auto result = run_with("shm", 3, {}, [&] {
        NumberWindow window(GetParam(), 1500);
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank != 2) {
            MPI_Datatype apart = MPI_DATATYPE_NULL;
            MPI_Type_vector(100, 1, 2, MPI_INT64_T, &apart);
            MPI_Type_commit(&apart);
            const Number one = 1;
            std::vector<Number> ones(600, 1);
            std::vector<Number> back(600, -1);
            Number last = -1;
            MPI_Win_lock_all(0, window.win);
            for (int i = 0; i < times; ++i) {
                Number ticket = -1;
                MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, 2, window.at(2, 0), MPI_SUM,
                                 window.win);
                MPI_Accumulate(ones.data(), 600, MPI_INT64_T, 2, window.at(2, 1), 600, MPI_INT64_T,
                               MPI_SUM, window.win);
                MPI_Get_accumulate(ones.data(), 100, MPI_INT64_T, back.data(), 100, MPI_INT64_T, 2,
                                   window.at(2, 700), 1, apart, MPI_SUM, window.win);
                MPI_Win_flush(2, window.win);
                EXPECT_GT(ticket, last);
                last = ticket;
            }
            EXPECT_GE(back[99], times - 1);
            // A lock of the program's own.
            for (Number found = -1, zero = 0; found != 0;) {
                MPI_Compare_and_swap(&one, &zero, &found, MPI_INT64_T, 2, window.at(2, 990),
                                     window.win);
                MPI_Win_flush(2, window.win);
            }
            Number held = 0;
            MPI_Get(&held, 1, MPI_INT64_T, 2, window.at(2, 991), 1, MPI_INT64_T, window.win);
            MPI_Win_flush(2, window.win);
            held += 5;
            MPI_Put(&held, 1, MPI_INT64_T, 2, window.at(2, 991), 1, MPI_INT64_T, window.win);
            MPI_Put(ones.data(), 100, MPI_INT64_T, 2, window.at(2, 1000 + 250 * rank), 1, apart,
                    window.win);
            MPI_Win_flush(2, window.win);
            const Number free = 0;
            MPI_Accumulate(&free, 1, MPI_INT64_T, 2, window.at(2, 990), 1, MPI_INT64_T, MPI_REPLACE,
                           window.win);
            MPI_Win_unlock_all(window.win);
            MPI_Type_free(&apart);
            ++done;
        }
        while (done != 2)
            std::this_thread::yield();
        if (rank == 2) {
            EXPECT_EQ(window.numbers[0], 2 * times);
            EXPECT_EQ(window.numbers[600], 2 * times);
            EXPECT_EQ(window.numbers[700 + 198], 2 * times);
            EXPECT_EQ(window.numbers[701], 0);
            EXPECT_EQ(window.numbers[991], 10);
            EXPECT_EQ(window.numbers[1250 + 198], 1);
            EXPECT_EQ(window.numbers[1251], 0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

/// The target goes in and out of the library while others combine: none is lost, none is late.
TEST_P(WindowTargetsOf, ThatComeAndGoAreCombinedWith) {
    constexpr int times = 2000;
    std::atomic<int> done = 0;
    const auto result = run_with("shm", 3, {}, [&] {
        NumberWindow window(GetParam(), 2);
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        if (rank != 2) {
            const Number one = 1;
            Number last = -1;
            for (int i = 0; i < times; ++i) {
                Number ticket = -1;
                MPI_Accumulate(&one, 1, MPI_INT64_T, 2, window.at(2, 1), 1, MPI_INT64_T, MPI_SUM,
                               window.win);
                MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, 2, window.at(2, 0), MPI_SUM,
                                 window.win);
                if (i % 3 == 0) {
                    MPI_Win_flush(2, window.win);
                    EXPECT_GT(ticket, last);
                    last = ticket;
                }
                if (i % 10 == 0) MPI_Send(nullptr, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
            }
            ++done;
        } else {
            for (int i = 0; i < 2 * times / 10; ++i)
                MPI_Recv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            while (done != 2)
                std::this_thread::yield();
        }
        MPI_Win_unlock_all(window.win);
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_EQ(window.numbers[0], rank == 2 ? 2 * times : 0);
        EXPECT_EQ(window.numbers[1], rank == 2 ? 2 * times : 0);
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST(WindowTargets, ThatComputeAreReachedByTheirProgressThread) {
    for (const char* const fabric : {"iwarp", "shm"}) {
        const auto result = run_with(fabric, 2, {{"progress-thread", "on"}},
                                     [] { reach_a_rank_that_computes(MPI_WIN_FLAVOR_CREATE); });
        EXPECT_TRUE(result.ok) << fabric << ": " << result.failure;
    }
}

/// In virtual time: the lock, the data and the flush need nothing of a target that computes.
TEST(WindowTargets, ThatComputeAreReachedByRdma) {
    for (const char* const fabric :
         {"infiniband-pcix", "infiniband-pcie", "clan-via", "neteffect-iwarp"}) {
        const auto result =
            job::run(options_for({fabric, job::Kind::fibers}, 2), [&](job::Rank& rank) {
                MPI_Init(nullptr, nullptr);
                {
                    constexpr int n = 20'000;
                    NumberWindow window(MPI_WIN_FLAVOR_CREATE, n);
                    const std::vector<Number> out(n, 7);
                    Number few = 5;
                    Number back = -1;
                    // Both are connected before one of them computes.
                    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank.id(), 0, window.win);
                    MPI_Win_unlock(1 - rank.id(), window.win);
                    MPI_Barrier(MPI_COMM_WORLD);
                    if (rank.id() == 1) {
                        rank.host().compute(Duration::s(1));
                    } else {
                        const double start = MPI_Wtime();
                        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win);
                        MPI_Put(out.data(), n, MPI_INT64_T, 1, 0, n, MPI_INT64_T, window.win);
                        MPI_Win_flush(1, window.win);
                        MPI_Put(&few, 1, MPI_INT64_T, 1, 3, 1, MPI_INT64_T, window.win);
                        MPI_Get(&back, 1, MPI_INT64_T, 1, n - 1, 1, MPI_INT64_T, window.win);
                        MPI_Win_unlock(1, window.win);
                        EXPECT_LT(MPI_Wtime() - start, 0.5) << fabric;
                        EXPECT_EQ(back, 7);
                    }
                    MPI_Barrier(MPI_COMM_WORLD);
                    EXPECT_EQ(window.numbers[3], rank.id() == 1 ? 5 : 0);
                }
                MPI_Finalize();
            });
        EXPECT_TRUE(result.ok) << fabric << ": " << result.failure;
    }
}

TEST(WindowConnections, MayBeFewerThanPeers) {
    for (const char* const fabric : {"shm", "iwarp"}) {
        const auto result = run_with(fabric, 6, {{"max-connections", "2"}}, [] {
            for (const int flavor : {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE}) {
                NumberWindow window(flavor, 2000);
                int rank = 0;
                int size = 0;
                MPI_Comm_rank(MPI_COMM_WORLD, &rank);
                MPI_Comm_size(MPI_COMM_WORLD, &size);
                const std::vector<Number> out(2000, rank + 1);
                MPI_Win_lock_all(0, window.win);
                for (int target = 0; target < size; ++target)
                    MPI_Accumulate(out.data(), 2000, MPI_INT64_T, target, window.at(target, 0),
                                   2000, MPI_INT64_T, MPI_SUM, window.win);
                MPI_Win_unlock_all(window.win);
                MPI_Barrier(MPI_COMM_WORLD);
                EXPECT_EQ(window.numbers[1999], size * (size + 1) / 2);
                MPI_Barrier(MPI_COMM_WORLD);
                // Puts and gets, between connections that come and go.
                for (int i = 0; i < 3; ++i)
                    for (int target = 0; target < size; ++target) {
                        std::vector<Number> back(300, -1);
                        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window.win);
                        MPI_Put(out.data(), 300, MPI_INT64_T, target, window.at(target, 300 * rank),
                                300, MPI_INT64_T, window.win);
                        MPI_Win_flush(target, window.win);
                        MPI_Get(back.data(), 300, MPI_INT64_T, target,
                                window.at(target, 300 * rank), 300, MPI_INT64_T, window.win);
                        MPI_Win_unlock(target, window.win);
                        EXPECT_THAT(back, testing::Each(rank + 1));
                    }
                MPI_Barrier(MPI_COMM_WORLD);
                for (int origin = 0; origin < size; ++origin)
                    EXPECT_EQ(window.numbers[300 * origin + 299], origin + 1);
                MPI_Barrier(MPI_COMM_WORLD);
            }
        });
        EXPECT_TRUE(result.ok) << fabric << ": " << result.failure;
    }
}

}  // namespace
}  // namespace railyard::mpi
