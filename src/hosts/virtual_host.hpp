#pragma once
/// The Host of a rank in virtual time: its clock is the engine's, computing is sleeping for that
/// long, and waiting costs nothing until a Nic notifies it. One fiber waits on it, and perhaps
/// another one beside it. Time stands still while a rank runs: a loop that polls and never waits
/// never ends.

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "hosts/memory.hpp"
#include "railyard/host.hpp"
#include "sim/engine.hpp"

namespace railyard::hosts {

class VirtualHost final : public fabric::Host {
  public:
    /// What software and waking up cost on this host.
    struct Costs {
        Duration match_entry{};  ///< one unit of each kind of fabric::Work
        Duration request{};
        Duration copied_byte{};  ///< from cache to cache
        Memory::Parameters memory{};
        Duration detect{};     ///< from an arrival until a spinning rank has seen it
        Duration interrupt{};  ///< from an arrival until a sleeping rank runs again
    };

    explicit VirtualHost(sim::Engine& engine) : VirtualHost(engine, Costs{}) {}
    VirtualHost(sim::Engine& engine, const Costs& costs) : engine_(engine) { set_costs(costs); }

    sim::Engine& engine() const { return engine_; }
    const Costs& costs() const { return costs_; }
    void set_costs(const Costs& costs);

    Time now() override { return engine_.now() + charged_; }
    void compute(Duration duration) override;
    std::optional<Duration> worked() const override { return worked_ + charged_; }
    /// Work that is done before anything else the rank does: for destructors, which must not wait.
    void owe(Duration duration) { owed_ += duration; }
    /// How long copying takes, as charge_copy() has it; and that part of it for which memory is
    /// waited.
    Duration copy_time(std::uint64_t n, const std::byte* to, const std::byte* from) {
        return costs_.copied_byte * static_cast<std::int64_t>(n) + memory_time(n, to, from);
    }
    Duration memory_time(std::uint64_t n, const std::byte* to, const std::byte* from);
    /// For Nics: an adapter has written to memory.
    void overwritten(const std::byte* memory, std::uint64_t n) {
        if (memory_) memory_->overwritten(memory, n);
    }
    /// Nothing: in virtual time, events carry out what there is to do.
    void progress() override {}

    Ticket prepare_wait() override {
        settle();
        return arrivals_;
    }
    void cancel_wait() override {}
    bool wait(Ticket ticket, Time deadline, fabric::Wait how) override;

    /// Spins for an arrival, while the rank waits for something else as well.
    void wait_while(Ticket ticket, const sim::Reason& waits_for) {
        wait(ticket, Time::never(), fabric::Wait::spin, waits_for);
    }
    /// That has come: ends such a wait, though nothing has arrived.
    void end_wait() {
        if (waiter_ != nullptr) engine_.resume(*waiter_);
    }

    /// For a second fiber, that stands for a thread of the rank's: sleeps until something arrives
    /// while the rank does not wait for it. False once end_beside() was called.
    bool wait_beside();
    void end_beside();

    /// For Nics, in an event: something has arrived for this rank, to be seen now.
    void notify();
    /// The same for what does not end a Wait::sleep (CompletionQueue::WakeFor::solicited).
    void notify_quietly();

  protected:
    void charge_for(fabric::Work work, std::uint64_t n) override;
    void charge_for_copy(std::uint64_t n, const std::byte* to, const std::byte* from) override {
        charge_time(copy_time(n, to, from));
    }
    void charge_time(Duration time) override;
    void settle_work() override { compute({}); }

  private:
    bool arrived_since(Ticket ticket, fabric::Wait how) const {
        return (how == fabric::Wait::sleep ? loud_arrivals_ : arrivals_) > ticket;
    }
    bool wait(Ticket ticket, Time deadline, fabric::Wait how, const sim::Reason& waits_for);
    std::string describe_wait(Ticket ticket) const;
    void wake_waiter();

    sim::Engine& engine_;
    Costs costs_;
    std::unique_ptr<Memory> memory_;  ///< null: copying costs the same from and to anywhere
    Duration worked_;
    Duration owed_;
    Duration charged_;  ///< and not slept: the engine's clock is so far behind the rank's
    std::uint64_t arrivals_ = 0;
    std::uint64_t loud_arrivals_ = 0;  ///< `arrivals_` as it was at the last loud one
    sim::Fiber* waiter_ = nullptr;
    struct Beside {
        sim::Fiber* waiter = nullptr;
        bool due = false;  ///< something has arrived for it
        bool ended = false;
    };
    Beside beside_;
    fabric::Wait how_ = fabric::Wait::spin;
};

}  // namespace railyard::hosts
