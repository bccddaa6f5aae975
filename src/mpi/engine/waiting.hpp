#pragma once
/// Who is told when a rank waits in the library, and when it sleeps there.

#include <cstddef>
#include <vector>

#include "railyard/base/time.hpp"

namespace railyard::mpi {

/// Somebody who is told when the rank begins to wait in the library, where it sees to all that
/// others ask of it, and when it is about to leave.
class Attendant {
  public:
    virtual void came() = 0;
    /// May make progress until what others have begun is done.
    virtual void leaves() noexcept = 0;

  protected:
    ~Attendant() = default;
};

/// Those of one rank. Waits nest, and several threads may wait at a time.
class Attendants {
  public:
    /// It outlives this, or is removed.
    void add(Attendant& attendant) {
        all_.push_back(&attendant);
        if (waits_ != 0) attendant.came();
    }
    void remove(Attendant& attendant) { std::erase(all_, &attendant); }

    void begin_wait() {
        if (waits_++ == 0 && !all_.empty()) [[unlikely]]
            for (Attendant* const attendant : all_)
                attendant->came();
    }
    void end_wait() {
        if (--waits_ == 0 && !all_.empty()) [[unlikely]]
            tell_of_leaving();
    }

  private:
    void tell_of_leaving() {
        // Progress may end in a wait of its own, and a watcher may free what attends.
        for (std::size_t i = 0; i < all_.size(); ++i)
            all_[i]->leaves();
    }

    std::vector<Attendant*> all_;
    unsigned waits_ = 0;  ///< under way; a progress thread is one that never ends
};

/// A wait, from its begin to its end.
class Attendance {
  public:
    explicit Attendance(Attendants& attendants) : attendants_(attendants) {
        attendants_.begin_wait();
    }
    ~Attendance() { attendants_.end_wait(); }
    Attendance(const Attendance&) = delete;
    Attendance& operator=(const Attendance&) = delete;

  private:
    Attendants& attendants_;
};

/// Somebody who sees to it that others wake the rank: told before the last look for what is waited
/// for, between which there is a heavy fence, and again when the rank is awake.
class SleepWatch {
  public:
    virtual void falls_asleep() = 0;
    virtual void wakes_up() = 0;

  protected:
    ~SleepWatch() = default;
};

/// From before the last look until the rank is awake.
class Sleep {
  public:
    explicit Sleep(const std::vector<SleepWatch*>& watches) : watches_(watches) {
        for (SleepWatch* const watch : watches_)
            watch->falls_asleep();
    }
    ~Sleep() {
        for (SleepWatch* const watch : watches_)
            watch->wakes_up();
    }
    Sleep(const Sleep&) = delete;
    Sleep& operator=(const Sleep&) = delete;

  private:
    const std::vector<SleepWatch*>& watches_;
};

/// Somebody who is told of calls that wait for long: not before a wait has slept, so that one that
/// ends soon costs nothing.
class StallWatch {
  public:
    /// A call has slept once more. Called by a thread that holds the library, if several may.
    virtual void waited(Time now) = 0;
    /// The call waits no longer.
    virtual void went_on() = 0;

  protected:
    ~StallWatch() = default;
};

/// One call's wait.
class WatchedWait {
  public:
    explicit WatchedWait(StallWatch* watch) : watch_(watch) {}
    ~WatchedWait() {
        if (has_slept_) [[unlikely]]
            watch_->went_on();
    }
    WatchedWait(const WatchedWait&) = delete;
    WatchedWait& operator=(const WatchedWait&) = delete;

    void slept(Time now) {
        has_slept_ = true;
        watch_->waited(now);
    }

  private:
    StallWatch* const watch_;
    bool has_slept_ = false;
};

}  // namespace railyard::mpi
