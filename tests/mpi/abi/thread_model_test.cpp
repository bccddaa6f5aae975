// A model of MPI_THREAD_MULTIPLE: each thread does at random what it likes, with the same thread of
// the other ranks, and knows what must come of it.

#include <array>
#include <atomic>
#include <random>
#include <vector>

#include "mpi/abi/threads.hpp"

namespace railyard::mpi {
namespace {

using ThreadModel = OnThreads;
RAILYARD_ON_THREADS(ThreadModel);

struct Counts {
    std::atomic<int> set = 0;
    std::atomic<int> copied = 0;
    std::atomic<int> deleted = 0;
};

int count_copy(MPI_Comm, int, void* extra, void* value, void* copy, int* flag) {
    ++static_cast<Counts*>(extra)->copied;
    int initialised = 0;
    MPI_Initialized(&initialised);
    *static_cast<void**>(copy) = value;
    *flag = initialised;
    return MPI_SUCCESS;
}

int count_delete(MPI_Comm comm, int, void*, void* extra) {
    ++static_cast<Counts*>(extra)->deleted;
    int size = 0;
    return MPI_Comm_size(comm, &size);
}

thread_local int errors_seen = 0;

void see_error(MPI_Comm*, int* code, ...) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(*code, text, &length);
    int error_class = 0;
    MPI_Error_class(*code, &error_class);
    if (error_class == MPI_ERR_RANK && length > 0) ++errors_seen;
}

/// One thread of one rank. The same thread of every rank draws the same numbers.
class Actor {
  public:
    Actor(MPI_Comm comm, int thread, int key, Counts& counts, MPI_Errhandler handler)
        : random_(static_cast<unsigned>(thread) * 7919U + 5U),
          key_(key),
          counts_(counts),
          handler_(handler) {
        comms_.push_back(comm);
    }
    void act() {
        comm_ = comms_[random_() % comms_.size()];
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &size_);
        next_ = (rank_ + 1) % size_;
        previous_ = (rank_ + size_ - 1) % size_;
        switch (random_() % 10) {
            case 0:
                return make();
            case 1:
                return drop();
            case 2:
                return reduce();
            case 3:
                return exchange();
            case 4:
                return probe();
            case 5:
                return repeat();
            case 6:
                return cancel();
            case 7:
                return attach();
            case 8:
                return reach();
            default:
                return fail();
        }
    }
    void finish() {
        while (comms_.size() > 1)
            drop();
    }

  private:
    void make() {
        if (comms_.size() >= 4) return;
        MPI_Comm made = MPI_COMM_NULL;
        if (random_() % 2 == 0)
            MPI_Comm_dup(comm_, &made);
        else
            MPI_Comm_split(comm_, 0, -rank_, &made);
        ASSERT_NE(made, MPI_COMM_NULL);
        comms_.push_back(made);
    }
    void drop() {
        if (comms_.size() == 1) return;
        MPI_Comm_free(&comms_.back());
        comms_.pop_back();
    }
    void reduce() {
        const int mine = static_cast<int>(random_() % 100);
        int sum = -1;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm_);
        EXPECT_EQ(sum, mine * size_);
        int word = rank_ == 0 ? mine : -1;
        MPI_Bcast(&word, 1, MPI_INT, 0, comm_);
        EXPECT_EQ(word, mine);
    }
    void exchange() {
        const int count = random_() % 4 == 0 ? 30000 : 5;
        std::vector<int> out(static_cast<std::size_t>(count), rank_);
        std::vector<int> in(static_cast<std::size_t>(count), -1);
        std::array<MPI_Request, 2> requests{};
        MPI_Irecv(in.data(), count, MPI_INT, previous_, 3, comm_, &requests[0]);
        MPI_Isend(out.data(), count, MPI_INT, next_, 3, comm_, &requests[1]);
        if (random_() % 2 == 0) {
            int index = -1;
            MPI_Waitany(2, requests.data(), &index, MPI_STATUS_IGNORE);
            MPI_Waitany(2, requests.data(), &index, MPI_STATUS_IGNORE);
        } else {
            int flag = 0;
            while (flag == 0)
                MPI_Testall(2, requests.data(), &flag, MPI_STATUSES_IGNORE);
        }
        EXPECT_EQ(in.back(), previous_);
    }
    void probe() {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(&rank_, 1, MPI_INT, next_, 4, comm_, &request);
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, 4, comm_, &status);
        EXPECT_EQ(status.MPI_SOURCE, previous_);
        int word = -1;
        MPI_Recv(&word, 1, MPI_INT, previous_, 4, comm_, MPI_STATUS_IGNORE);
        EXPECT_EQ(word, previous_);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    void repeat() {
        int out = 0;
        int in = -1;
        std::array<MPI_Request, 2> requests{};
        MPI_Send_init(&out, 1, MPI_INT, next_, 5, comm_, &requests[0]);
        MPI_Recv_init(&in, 1, MPI_INT, previous_, 5, comm_, &requests[1]);
        for (int i = 0; i < 3; ++i) {
            out = rank_ + i;
            MPI_Startall(2, requests.data());
            MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
            EXPECT_EQ(in, previous_ + i);
        }
        for (MPI_Request& request : requests)
            MPI_Request_free(&request);
    }
    void cancel() {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Issend(&rank_, 1, MPI_INT, next_, 6, comm_, &request);
        MPI_Cancel(&request);
        MPI_Status status;
        MPI_Wait(&request, &status);
        int cancelled = 0;
        MPI_Test_cancelled(&status, &cancelled);
        EXPECT_EQ(cancelled, 1);
    }
    void attach() {
        MPI_Comm_set_attr(comm_, key_, this);
        ++counts_.set;
        void* value = nullptr;
        int flag = 0;
        MPI_Comm_get_attr(comm_, key_, &value, &flag);
        EXPECT_EQ(flag, 1);
        EXPECT_EQ(value, this);
        if (random_() % 2 == 0) MPI_Comm_delete_attr(comm_, key_);
    }
    /// A window of its own, in which each rank counts at all.
    void reach() {
        std::array<long, 2> memory{};
        void* base = memory.data();
        MPI_Win win = MPI_WIN_NULL;
        if (random_() % 2 == 0)
            MPI_Win_create(base, sizeof memory, 8, MPI_INFO_NULL, comm_, &win);
        else
            MPI_Win_allocate(sizeof memory, 8, MPI_INFO_NULL, comm_, &base, &win);
        const long one = 1;
        const long mine = rank_;
        MPI_Win_lock_all(0, win);
        for (int target = 0; target < size_; ++target)
            MPI_Accumulate(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, win);
        MPI_Put(&mine, 1, MPI_LONG, next_, 1, 1, MPI_LONG, win);
        MPI_Win_unlock_all(win);
        MPI_Barrier(comm_);
        MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, win);
        EXPECT_EQ(static_cast<long*>(base)[0], size_);
        EXPECT_EQ(static_cast<long*>(base)[1], previous_);
        MPI_Win_unlock(rank_, win);
        MPI_Win_free(&win);
    }
    void fail() {
        MPI_Comm_set_errhandler(comm_, handler_);
        const int before = errors_seen;
        EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, size_, 0, comm_), MPI_ERR_RANK);
        EXPECT_EQ(errors_seen, before + 1);
    }

    std::minstd_rand random_;
    int key_;
    Counts& counts_;
    MPI_Errhandler handler_;
    std::vector<MPI_Comm> comms_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = -1;
    int size_ = 0;
    int next_ = 0;
    int previous_ = 0;
};

TEST_P(ThreadModel, EachDoesAtRandomWhatItLikes) {
    const int steps = thread_times(60);
    constexpr int threads = 4;
    run(3, [&](int, int) {
        Counts counts;
        int key = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(count_copy, count_delete, &key, &counts);
        MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
        MPI_Comm_create_errhandler(see_error, &handler);
        std::array<MPI_Comm, threads> own{};
        for (MPI_Comm& comm : own)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        run_threads(threads, [&](int thread) {
            Actor actor(own[static_cast<std::size_t>(thread)], thread, key, counts, handler);
            for (int i = 0; i < steps; ++i)
                actor.act();
            actor.finish();
        });
        for (MPI_Comm& comm : own)
            MPI_Comm_free(&comm);
        EXPECT_EQ(counts.deleted.load(), counts.set.load() + counts.copied.load())
            << "each value is deleted once";
        MPI_Comm_free_keyval(&key);
        MPI_Errhandler_free(&handler);
    });
}

}  // namespace
}  // namespace railyard::mpi
