#pragma once
/// What a Nic is to the real Host it attaches to: something that can be given the floor, and that
/// may have a descriptor to sleep on.

#include "railyard/base/time.hpp"

namespace railyard::hosts {

class Source {
  public:
    virtual ~Source() = default;
    /// Does what can be done now. True if anything happened that a waiter may care about.
    virtual bool make_progress() = 0;
    /// A wait is being prepared: the next make_progress() is to tell of all that happens from now
    /// on, also in other calls of the rank's.
    virtual void expect_wait() {}
    /// Readable when there is something to do; -1 if peers ring the Host's bell instead.
    virtual int descriptor() const { return -1; }
    /// Time passes: called now and then while the rank waits, and by next_timer() at the latest.
    /// True if anything happened that a waiter may care about, such as a connection timing out.
    virtual bool tick(Time) { return false; }
    /// When a tick is due even if nothing arrives: a connection timing out, a peer to be checked.
    virtual Time next_timer() const { return Time::never(); }
};

}  // namespace railyard::hosts
