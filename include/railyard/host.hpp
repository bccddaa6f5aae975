#pragma once
/// What one rank stands on: its clock, its processor and its way to wait. One a rank, however many
/// Nics it opens; all of them attach to it, so that one wait hears them all.
///
/// Time belongs to the Host. Above fabric/ nobody reads a system clock, sleeps, or spins on plain
/// memory: that is what lets the same code run for real and in virtual time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "railyard/base/cpu.hpp"
#include "railyard/base/time.hpp"

namespace railyard::fabric {

/// Work that software does and that costs time in a model; for real it simply takes its time.
enum class Work : std::uint8_t { match_entry, request };

enum class Wait : std::uint8_t {
    spin,             ///< never sleep: lowest latency, one whole core
    spin_then_sleep,  ///< spin briefly, then let others run
    sleep,            ///< sleep at once; in a model, woken by an interrupt
};

class Host {
  public:
    virtual ~Host() = default;
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    virtual Time now() = 0;
    /// The processor is busy for that long.
    virtual void compute(Duration duration) = 0;
    /// `n` units of software work were done. Free for real: the work itself has taken its time. In
    /// virtual time now() tells of it at once, but it may pass together with what comes next: with
    /// the next work, call of a Nic or wait, or by settle().
    void charge(Work work, std::uint64_t n = 1) {
        if (work_costs_) [[unlikely]]
            charge_for(work, n);
    }
    /// `n` bytes were copied. Null is memory that the software uses all the time, and that is at
    /// hand; a model may ask of other memory whether it was used lately.
    void charge_copy(std::uint64_t n, const std::byte* to = nullptr,
                     const std::byte* from = nullptr) {
        if (work_costs_) [[unlikely]]
            charge_for_copy(n, to, from);
    }
    /// The same for work whose time is known.
    void charge(Duration time) {
        if (time > Duration{}) charge_time(time);
    }
    bool work_costs() const { return work_costs_; }
    /// What was charged has passed, before a look at memory that others write.
    void settle() {
        if (unsettled_) [[unlikely]]
            settle_work();
    }

    /// Processor time spent on work so far, waiting left out; unset where work cannot be told from
    /// spinning.
    virtual std::optional<Duration> worked() const { return std::nullopt; }

    /// Counts what Nics did while this rank was about to sleep, or asleep: as long as it stays the
    /// same, nothing came. For real only.
    virtual std::uint64_t arrivals() const { return 0; }

    /// Lets every Nic of this rank do what it can do now (see Traits::progress).
    virtual void progress() = 0;

    /// Waits until `ready()` is true, and returns true; or false once the deadline has passed.
    ///
    /// `ready` may poll a completion queue, look at a queue pair's state, or watch memory with
    /// `arrived()`: the three ways to learn of an arrival, and any mixture of them. It is called
    /// often, must not block, and anything that a Nic does for this rank makes it be asked again.
    template <class Ready>
    bool wait_until(Ready&& ready, Time deadline = Time::never(), Wait how = Wait::spin_then_sleep);

    /// The same in three steps, for callers whose `ready` is a whole progress engine:
    ///     ticket = prepare_wait();  look once more;  then either cancel_wait() or wait(ticket, …)
    /// Whatever arrives after prepare_wait() ends the wait. False: the deadline passed.
    /// Before it sleeps, such a caller may spin: `spins()` rounds of `looks()` looks each, and
    /// progress() between the rounds; `patient_spins()` where all who are waited for have but a
    /// moment's work.
    using Ticket = std::uint64_t;
    unsigned spins() const { return spins_; }
    unsigned patient_spins() const { return patient_spins_; }
    unsigned looks() const { return looks_; }
    virtual Ticket prepare_wait() = 0;
    virtual void cancel_wait() = 0;
    virtual bool wait(Ticket ticket, Time deadline, Wait how) = 0;

  protected:
    Host() = default;
    virtual void charge_for(Work, std::uint64_t) {}
    virtual void charge_time(Duration) {}
    virtual void settle_work() {}
    virtual void charge_for_copy(std::uint64_t, const std::byte* /*to*/,
                                 const std::byte* /*from*/) {}
    bool work_costs_ = false;  ///< some work is charged for
    bool unsettled_ = false;   ///< some that was charged has not passed yet
    /// Rounds of looking before a sleep. None in virtual time.
    unsigned spins_ = 0;
    unsigned patient_spins_ = 0;
    /// Looks in a round. Nics are given the floor after each: often enough for a peer that needs
    /// our help, seldom enough that watching memory costs a load and a branch.
    unsigned looks_ = 64;
};

template <class Ready>
bool Host::wait_until(Ready&& ready, Time deadline, Wait how) {
    for (;;) {
        const unsigned spins = how == Wait::sleep ? 0 : spins_;
        for (unsigned i = 0; i < spins; ++i) {
            for (unsigned look = 0; look < looks_; ++look) {
                if (ready()) return true;
                relax();
            }
            progress();
        }
        if (how == Wait::spin && spins_ != 0) {
            if (now() >= deadline) return ready();
            continue;
        }
        const Ticket ticket = prepare_wait();
        if (ready()) {
            cancel_wait();
            return true;
        }
        if (!wait(ticket, deadline, how)) return ready();
    }
}

}  // namespace railyard::fabric
