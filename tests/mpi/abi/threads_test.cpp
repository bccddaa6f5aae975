// MPI_THREAD_MULTIPLE as the standard means it: threads of a rank share requests, messages, handles
// and callbacks, and each waits for its own.

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <numeric>
#include <vector>

#include "mpi/abi/threads.hpp"

namespace railyard::mpi {
namespace {

using Threads = OnThreads;
RAILYARD_ON_THREADS(Threads);

/// Requests that one thread has started and any may complete.
class SharedRequests {
  public:
    struct Item {
        MPI_Request request = MPI_REQUEST_NULL;
        int* place = nullptr;
        int expected = 0;
    };
    void put(const Item& item) {
        const std::lock_guard lock(mutex_);
        items_.push_back(item);
    }
    bool take(Item& item) {
        const std::lock_guard lock(mutex_);
        if (items_.empty()) return false;
        item = items_.front();
        items_.pop_front();
        return true;
    }

  private:
    std::mutex mutex_;
    std::deque<Item> items_;
};

TEST_P(Threads, RequestsAreStartedByOneAndCompletedByAnother) {
    const int n = thread_times(300);
    run(2, [&](int rank, int) {
        SharedRequests requests;
        std::vector<int> out(static_cast<std::size_t>(n));
        std::vector<int> in(static_cast<std::size_t>(n), -1);
        std::iota(out.begin(), out.end(), 1000 * rank);
        std::atomic<int> left = 2 * n;
        run_threads(4, [&](int thread) {
            if (thread == 0)
                for (int i = 0; i < n; ++i) {
                    const auto at = static_cast<std::size_t>(i);
                    SharedRequests::Item item{MPI_REQUEST_NULL, &in[at], 1000 * (1 - rank) + i};
                    MPI_Irecv(&in[at], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &item.request);
                    requests.put(item);
                    item = {};
                    (i % 5 == 0 ? MPI_Issend : MPI_Isend)(&out[at], 1, MPI_INT, 1 - rank, i,
                                                          MPI_COMM_WORLD, &item.request);
                    requests.put(item);
                }
            SharedRequests::Item item;
            while (left.load() > 0) {
                if (!requests.take(item)) {
                    std::this_thread::yield();
                    continue;
                }
                int flag = 1;
                int index = 0;
                if (thread == 1)
                    MPI_Waitany(1, &item.request, &index, MPI_STATUS_IGNORE);
                else if (thread == 2)
                    MPI_Wait(&item.request, MPI_STATUS_IGNORE);
                else
                    MPI_Test(&item.request, &flag, MPI_STATUS_IGNORE);
                if (flag == 0) {
                    requests.put(item);
                    continue;
                }
                EXPECT_EQ(item.request, MPI_REQUEST_NULL);
                if (item.place != nullptr) {
                    EXPECT_EQ(*item.place, item.expected);
                }
                --left;
            }
        });
    });
}

TEST_P(Threads, EachMessageGoesToOneOfThoseWhoProbe) {
    const int n = thread_times(300);
    constexpr int threads = 3;
    run(2, [&](int rank, int) {
        if (rank == 0) {
            std::vector<int> data(20000);
            for (int i = 0; i < n + threads; ++i) {
                data[0] = i < n ? i : -1;
                MPI_Send(data.data(), i % 50 == 0 ? 20000 : 1, MPI_INT, 1, i % 7, MPI_COMM_WORLD);
            }
            return;
        }
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
        run_threads(threads, [&](int thread) {
            std::vector<int> data(20000);
            for (;;) {
                MPI_Message message = MPI_MESSAGE_NULL;
                MPI_Status status;
                int flag = 1;
                if (thread == 0)
                    MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
                else
                    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
                if (flag == 0) continue;
                int count = 0;
                MPI_Get_count(&status, MPI_INT, &count);
                ASSERT_EQ(MPI_Mrecv(data.data(), count, MPI_INT, &message, MPI_STATUS_IGNORE),
                          MPI_SUCCESS);
                if (data[0] < 0) return;
                ++seen[static_cast<std::size_t>(data[0])];
            }
        });
        for (const auto& times_seen : seen)
            EXPECT_EQ(times_seen.load(), 1);
    });
}

// What a callback waits for may be another thread's to do.
struct Callback {
    MPI_Comm comm = MPI_COMM_NULL;
    std::atomic<int> entered = 0;
    int copies = 0;
    int deletions = 0;
};

int copy_and_wait(MPI_Comm, int, void* extra, void* value, void* copy, int* flag) {
    auto& callback = *static_cast<Callback*>(extra);
    ++callback.entered;
    MPI_Recv(nullptr, 0, MPI_INT, 0, 1, callback.comm, MPI_STATUS_IGNORE);
    ++callback.copies;
    *static_cast<void**>(copy) = value;
    *flag = 1;
    return MPI_SUCCESS;
}

int delete_and_wait(MPI_Comm, int, void*, void* extra) {
    auto& callback = *static_cast<Callback*>(extra);
    ++callback.entered;
    MPI_Recv(nullptr, 0, MPI_INT, 0, 2, callback.comm, MPI_STATUS_IGNORE);
    ++callback.deletions;
    return MPI_SUCCESS;
}

std::atomic<int> handlers_entered = 0;
thread_local int handled = 0;

void wait_in_handler(MPI_Comm*, int*, ...) {
    ++handlers_entered;
    MPI_Recv(nullptr, 0, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    ++handled;
}

TEST_P(Threads, CallbacksMayWaitForOtherThreads) {
    run(1, [](int, int) {
        Callback callback;
        handlers_entered = 0;
        MPI_Comm_dup(MPI_COMM_SELF, &callback.comm);
        MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
        MPI_Comm_create_errhandler(wait_in_handler, &handler);
        run_threads(2, [&](int thread) {
            if (thread == 0) {
                int key = MPI_KEYVAL_INVALID;
                MPI_Comm_create_keyval(copy_and_wait, delete_and_wait, &key, &callback);
                MPI_Comm comm = MPI_COMM_NULL;
                MPI_Comm dup = MPI_COMM_NULL;
                MPI_Comm_dup(MPI_COMM_SELF, &comm);
                MPI_Comm_set_attr(comm, key, &key);
                EXPECT_EQ(MPI_Comm_dup(comm, &dup), MPI_SUCCESS);
                EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
                MPI_Comm_set_errhandler(dup, handler);
                EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 5, 0, dup), MPI_ERR_RANK);
                EXPECT_EQ(handled, 1);
                MPI_Comm_free(&dup);
                MPI_Comm_free_keyval(&key);
            } else {
                // Each only once the callback runs.
                const auto send = [](const std::atomic<int>& entered, int times, int tag,
                                     MPI_Comm comm) {
                    while (entered.load() < times)
                        std::this_thread::yield();
                    MPI_Ssend(nullptr, 0, MPI_INT, 0, tag, comm);
                };
                send(callback.entered, 1, 1, callback.comm);
                send(callback.entered, 2, 2, callback.comm);
                send(handlers_entered, 1, 3, MPI_COMM_SELF);
                send(callback.entered, 3, 2, callback.comm);
            }
        });
        EXPECT_EQ(callback.copies, 1);
        EXPECT_EQ(callback.deletions, 2);
        MPI_Errhandler_free(&handler);
        MPI_Comm_free(&callback.comm);
    });
}

void add_ints(void* in, void* inout, int* n, MPI_Datatype*) {
    for (int i = 0; i < *n; ++i)
        static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

// MPI_Type_free and MPI_Op_free only say that nobody will use it anew.
TEST_P(Threads, WhatOneWaitsWithAnotherMayFree) {
    run(2, [](int rank, int) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < 20; ++i) {
            MPI_Datatype gaps = MPI_DATATYPE_NULL;
            MPI_Type_vector(50, 1, 2, MPI_INT, &gaps);
            MPI_Type_commit(&gaps);
            MPI_Op op = MPI_OP_NULL;
            MPI_Op_create(add_ints, 1, &op);
            const MPI_Datatype type = gaps;
            const MPI_Op adds = op;
            std::atomic<bool> begins = false;
            run_threads(2, [&](int thread) {
                if (thread == 1) {
                    if (rank == 0) return;
                    while (!begins.load())
                        std::this_thread::yield();
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    MPI_Type_free(&gaps);
                    MPI_Op_free(&op);
                    MPI_Datatype other = MPI_DATATYPE_NULL;
                    MPI_Type_vector(3, 2, 7, MPI_BYTE, &other);
                    MPI_Send(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
                    MPI_Type_free(&other);
                    return;
                }
                // Rank 1 may come too late with its type: then it is told so, and has another.
                std::vector<int> data(100, rank == 0 ? i : -1);
                if (rank == 0)
                    MPI_Recv(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                begins = true;
                if (MPI_Bcast(data.data(), 1, type, 0, comm) != MPI_SUCCESS) {
                    MPI_Bcast(data.data(), 50, MPI_INT, 0, comm);
                    data[98] = data[49];
                }
                EXPECT_EQ(data[98], i);
                int sum = -1;
                if (MPI_Allreduce(&rank, &sum, 1, MPI_INT, adds, comm) != MPI_SUCCESS)
                    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
                EXPECT_EQ(sum, 1);
            });
            if (gaps != MPI_DATATYPE_NULL) MPI_Type_free(&gaps);
            if (op != MPI_OP_NULL) MPI_Op_free(&op);
        }
        MPI_Comm_free(&comm);
    });
}

}  // namespace
}  // namespace railyard::mpi
