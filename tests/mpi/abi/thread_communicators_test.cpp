// Communicators that several threads of a rank make and free at the same time, each out of a parent
// of its own.

#include <array>
#include <mutex>
#include <string>
#include <vector>

#include "mpi/abi/threads.hpp"

namespace railyard::mpi {
namespace {

using ThreadCommunicators = OnThreads;
RAILYARD_ON_THREADS(ThreadCommunicators);

/// A duplicate of the world for each thread.
std::vector<MPI_Comm> duplicates(int count) {
    std::vector<MPI_Comm> all(static_cast<std::size_t>(count));
    for (MPI_Comm& comm : all) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    return all;
}

void free_all(std::vector<MPI_Comm>& all) {
    for (MPI_Comm& comm : all)
        MPI_Comm_free(&comm);
}

/// Sends its thread and count round a ring; false if another's arrive.
bool is_own(MPI_Comm comm, int thread, int count) {
    int rank = -1;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const std::array<int, 2> mine{thread, count};
    std::array<int, 2> theirs{-1, -1};
    MPI_Sendrecv(mine.data(), 2, MPI_INT, (rank + 1) % size, 0, theirs.data(), 2, MPI_INT,
                 (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
    return mine == theirs;
}

TEST_P(ThreadCommunicators, EachDuplicatesItsOwn) {
    constexpr int threads = 4;
    const int times = thread_times(150);
    run(2, [&](int, int) {
        std::vector<MPI_Comm> own = duplicates(threads);
        run_threads(threads, [&](int thread) {
            for (int i = 0; i < times; ++i) {
                MPI_Comm dup = MPI_COMM_NULL;
                ASSERT_EQ(MPI_Comm_dup(own[static_cast<std::size_t>(thread)], &dup), MPI_SUCCESS);
                ASSERT_TRUE(is_own(dup, thread, i)) << "thread " << thread << ", time " << i;
                MPI_Comm_free(&dup);
            }
        });
        free_all(own);
    });
}

/// Of all ranks of `parent`, by way of an inter-communicator between its first rank and the others.
MPI_Comm joined_again(MPI_Comm parent, int tag) {
    int rank = -1;
    MPI_Comm_rank(parent, &rank);
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(parent, rank == 0 ? 0 : 1, 0, &part);
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Intercomm_create(part, 0, parent, rank == 0 ? 1 : 0, tag, &inter);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Intercomm_merge(inter, 0, &made);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&part);
    return made;
}

/// One of the ways to make a communicator of all ranks of `parent`.
MPI_Comm made_by(int way, MPI_Comm parent, int tag) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    const int dims[] = {0, 0};
    int size = 0;
    MPI_Comm_size(parent, &size);
    const int line[] = {size};
    switch (way % 7) {
        case 0:
            MPI_Comm_dup(parent, &made);
            break;
        case 1:
            MPI_Comm_split(parent, 7, 0, &made);
            break;
        case 2:
        case 3:
        case 4:
            MPI_Comm_group(parent, &group);
            if (way % 7 == 2)
                MPI_Comm_create(parent, group, &made);
            else if (way % 7 == 3)
                MPI_Comm_create_group(parent, group, tag, &made);
            else
                MPI_Comm_create_from_group(group, std::to_string(tag).c_str(), MPI_INFO_NULL,
                                           MPI_ERRORS_RETURN, &made);
            MPI_Group_free(&group);
            break;
        case 5:
            made = joined_again(parent, tag);
            break;
        default:
            MPI_Cart_create(parent, 1, line, dims, 0, &made);
    }
    return made;
}

TEST_P(ThreadCommunicators, EveryWayOfMakingThemAtOnce) {
    constexpr int threads = 7;
    const int times = thread_times(30);
    run(3, [&](int, int) {
        std::vector<MPI_Comm> own = duplicates(threads);
        run_threads(threads, [&](int thread) {
            for (int i = 0; i < times; ++i) {
                MPI_Comm made = made_by(thread + i, own[static_cast<std::size_t>(thread)], thread);
                ASSERT_NE(made, MPI_COMM_NULL);
                ASSERT_TRUE(is_own(made, thread, i)) << "thread " << thread << ", time " << i;
                MPI_Comm_free(&made);
            }
        });
        free_all(own);
    });
}

// Groups of one parent that overlap, told apart by their tags alone; and communicators of one rank,
// for which nobody else is needed.
TEST_P(ThreadCommunicators, GroupsOfOneParentAndOfOneRank) {
    const int times = thread_times(40);
    run(3, [&](int rank, int size) {
        run_threads(4, [&](int thread) {
            // Thread 3 is alone; the others leave out one rank each.
            if (thread != 3 && rank == thread) return;
            MPI_Group all = MPI_GROUP_NULL;
            MPI_Group some = MPI_GROUP_NULL;
            MPI_Comm_group(thread == 3 ? MPI_COMM_SELF : MPI_COMM_WORLD, &all);
            if (thread == 3)
                some = all;
            else
                MPI_Group_excl(all, 1, &thread, &some);
            for (int i = 0; i < times; ++i) {
                MPI_Comm made = MPI_COMM_NULL;
                if (thread == 3)
                    MPI_Comm_dup(MPI_COMM_SELF, &made);
                else
                    MPI_Comm_create_group(MPI_COMM_WORLD, some, thread, &made);
                int members = 0;
                MPI_Comm_size(made, &members);
                ASSERT_EQ(members, thread == 3 ? 1 : size - 1);
                ASSERT_TRUE(is_own(made, thread, i)) << "thread " << thread << ", time " << i;
                MPI_Comm_free(&made);
            }
            MPI_Group_free(&all);
            if (thread != 3) MPI_Group_free(&some);
        });
    });
}

// Rank 0 has both under way at once, the others one after the other: whoever holds back the
// second until the first is there must not hold back the first.
TEST_P(ThreadCommunicators, OneRankBeginsWhatOthersDoLater) {
    const int times = thread_times(15);
    run(3, [&](int rank, int) {
        for (int i = 0; i < times; ++i) {
            std::vector<MPI_Comm> own = duplicates(2);
            std::array<MPI_Comm, 2> made{MPI_COMM_NULL, MPI_COMM_NULL};
            const auto make = [&](int thread) {
                const auto which = static_cast<std::size_t>(thread);
                MPI_Comm_dup(own[which], &made[which]);
                EXPECT_TRUE(is_own(made[which], thread, i));
            };
            if (rank == 0) {
                run_threads(2, make);
            } else {
                make(1 - i % 2);
                make(i % 2);
            }
            for (MPI_Comm& comm : made)
                MPI_Comm_free(&comm);
            free_all(own);
        }
    });
}

}  // namespace
}  // namespace railyard::mpi
