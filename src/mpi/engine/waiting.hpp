#pragma once
/// Who is told of calls that wait: of each, and of those that wait for long, where that is wanted.
/// Of these nobody is told before a wait has slept, so a wait that ends soon costs nothing.

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
