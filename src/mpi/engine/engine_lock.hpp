#pragma once
/// Lets several threads of a rank use its library, one at a time: the program's own, where it asked
/// for that, and one that makes progress while the program computes; in virtual time, its fiber and
/// the one beside it. A rank with one thread has no lock and pays a test of a pointer.

#include <pthread.h>

#include <atomic>
#include <mutex>

#include "base/clock.hpp"
#include "railyard/base/time.hpp"

namespace railyard::job {
class Beside;
}

namespace railyard::mpi {

class EngineLock {
  public:
    EngineLock() = default;
    /// In virtual time: of a rank that has a fiber beside its own.
    explicit EngineLock(job::Beside& beside) : beside_(&beside), is_of_fibers_(true) {}

    bool is_of_fibers() const { return is_of_fibers_; }
    /// What runs beside the rank is about to go.
    void is_alone() { beside_ = nullptr; }

    void lock() {
        if (is_of_fibers_) return enter();
        mutex_.lock();
        ++depth_;
        owner_.store(pthread_self(), std::memory_order_relaxed);
    }
    void unlock() {
        if (is_of_fibers_) return leave();
        if (--depth_ == 0) owner_.store(pthread_t(), std::memory_order_relaxed);
        mutex_.unlock();
    }
    /// Whether the calling thread holds it. Relaxed is enough: a thread's own id is written by
    /// itself alone.
    bool is_held() const {
        if (is_of_fibers_) return depth_ > 0;
        return pthread_equal(owner_.load(std::memory_order_relaxed), pthread_self()) != 0;
    }
    /// Lets others have it while the caller, who holds it, waits for something. `times`: how often
    /// it has waited already.
    void yield(unsigned times) {
        // Called back from inside a call: the outer one is not ready for others.
        if (depth_ > 1) return;
        unlock();
        if (times < yields_before_sleep)
            give_way();
        else
            nap(sleep);
        lock();
    }

    /// Gives it up, however often the caller holds it, and returns how often; take_back() is the
    /// contrary.
    int give_up() {
        const int times = depth_;
        for (int i = 0; i < times; ++i)
            unlock();
        return times;
    }
    void take_back(int times) {
        for (int i = 0; i < times; ++i)
            lock();
    }

    /// How many calls are under way, of all threads; counted by those who hold it.
    int calls = 0;

  private:
    static constexpr unsigned yields_before_sleep = 1000;
    static constexpr Duration sleep = Duration::us(20);

    void enter();
    void leave();

    job::Beside* beside_ = nullptr;
    bool is_of_fibers_ = false;
    std::recursive_mutex mutex_;
    int depth_ = 0;  ///< of the thread that holds it
    std::atomic<pthread_t> owner_{};
};

/// Holds the lock for the length of a call, if there is one.
class EngineLockGuard {
  public:
    explicit EngineLockGuard(EngineLock* lock) : lock_(lock) {
        if (lock_ != nullptr) [[unlikely]]
            lock_->lock();
    }
    ~EngineLockGuard() {
        if (lock_ != nullptr) [[unlikely]]
            lock_->unlock();
    }
    EngineLockGuard(const EngineLockGuard&) = delete;
    EngineLockGuard& operator=(const EngineLockGuard&) = delete;

  private:
    EngineLock* lock_;
};

/// Opens the lock while a function of the user's runs, which may call MPI, and wait in it for what
/// another thread does. Whoever opens it holds no reference to what others may change.
class EngineLockOpening {
  public:
    explicit EngineLockOpening(EngineLock* lock)
        : lock_(lock), times_(lock != nullptr && lock->is_held() ? lock->give_up() : 0) {}
    ~EngineLockOpening() {
        if (times_ > 0) lock_->take_back(times_);
    }
    EngineLockOpening(const EngineLockOpening&) = delete;
    EngineLockOpening& operator=(const EngineLockOpening&) = delete;

  private:
    EngineLock* lock_;
    int times_;
};

}  // namespace railyard::mpi
