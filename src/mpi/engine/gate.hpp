#pragma once
/// Lets several threads of a rank use its library, one at a time: the program's own, where it asked
/// for that, and one that makes progress while the program computes. A rank with one thread has no
/// gate and pays a test of a pointer.

#include <pthread.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/nap.hpp"
#include "railyard/base/time.hpp"

namespace railyard::mpi {

class Gate {
  public:
    void enter() {
        mutex_.lock();
        ++depth_;
        owner_.store(pthread_self(), std::memory_order_relaxed);
    }
    void leave() {
        if (--depth_ == 0) owner_.store(pthread_t(), std::memory_order_relaxed);
        mutex_.unlock();
    }
    /// Whether the calling thread is inside. Relaxed is enough: only itself writes its own id.
    bool is_inside() const {
        return pthread_equal(owner_.load(std::memory_order_relaxed), pthread_self()) != 0;
    }
    /// Lets others in while the caller, who is inside, waits for something. `times` it has done so.
    void pause(unsigned times) {
        // Called back from inside a call: the outer one is not ready for others.
        if (depth_ > 1) return;
        leave();
        if (times < patience)
            give_way();
        else
            nap(long_pause);
        enter();
    }

  private:
    static constexpr unsigned patience = 1000;
    static constexpr Duration long_pause = Duration::us(20);

    std::recursive_mutex mutex_;
    int depth_ = 0;  ///< of the thread that is inside
    std::atomic<pthread_t> owner_{};
};

/// A call's time inside the gate, if there is one.
class Turn {
  public:
    explicit Turn(Gate* gate) : gate_(gate) {
        if (gate_ != nullptr) [[unlikely]]
            gate_->enter();
    }
    ~Turn() {
        if (gate_ != nullptr) [[unlikely]]
            gate_->leave();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    Gate* gate_;
};

/// Does `progress` through the gate, again and again, until it is destroyed.
class ProgressThread {
  public:
    ProgressThread(std::shared_ptr<Gate> gate, std::function<void()> progress);
    ~ProgressThread();

  private:
    std::shared_ptr<Gate> gate_;
    std::jthread thread_;
};

}  // namespace railyard::mpi
