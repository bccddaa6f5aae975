#pragma once
/// The Host of a rank that runs for real: the machine's clock, spinning, and sleeping in the kernel
/// until a peer rings the bell or a socket has something.

#include <cstdint>
#include <vector>

#include "hosts/bell.hpp"
#include "railyard/base/time.hpp"
#include "railyard/host.hpp"

namespace railyard::hosts {

/// What a Nic is to the real Host it attaches to: something that can be given the floor, and that
/// may have a descriptor to sleep on.
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

class RealHost final : public fabric::Host {
  public:
    struct Options {
        bool shares_core = false;  ///< more ranks than cores: spinning would only be in the way
        unsigned place = 0;        ///< of the rank among those of its node
    };
    explicit RealHost(Options options);
    ~RealHost() override;

    Time now() override;
    std::uint64_t arrivals() const override { return arrivals_; }
    void compute(Duration duration) override;
    void progress() override;

    Ticket prepare_wait() override;
    void cancel_wait() override;
    bool wait(Ticket ticket, Time deadline, fabric::Wait how) override;

    /// For Nics: attach when opened, detach when closed.
    void attach(Source& source);
    void detach(Source& source);
    /// Of the rank among those of its node, from 0 on.
    unsigned place() const { return place_; }
    /// How peers wake this rank.
    const Bell& bell() const { return bell_; }

  private:
    bool progress_all();
    bool tick_all();
    void offer_core();
    Time earliest_timer(Time deadline) const;
    enum class Woken : std::uint8_t { by_bell_or_time, by_descriptor };
    Woken sleep(Ticket ticket, Time until);

    Bell bell_;
    std::vector<Source*> sources_;
    std::int64_t start_ns_;
    std::uint64_t arrivals_ = 0;
    unsigned rounds_ = 0;
    bool shares_core_;
    unsigned place_;
};

}  // namespace railyard::hosts
