#include "hosts/virtual_host.hpp"

#include <fmt/format.h>

#include <utility>

namespace railyard::hosts {

void VirtualHost::set_costs(const Costs& costs) {
    // A rank that opens another Nic of the same host keeps what it has in its cache.
    if (!costs.memory.costs())
        memory_.reset();
    else if (!memory_ || costs.memory != costs_.memory)
        memory_ = std::make_unique<Memory>(costs.memory);
    costs_ = costs;
    work_costs_ = memory_ || costs.match_entry + costs.copied_byte + costs.request != Duration();
}

void VirtualHost::compute(Duration duration) {
    duration += std::exchange(owed_, {}) + std::exchange(charged_, {});
    unsettled_ = false;
    if (duration <= Duration{}) return;
    worked_ += duration;
    engine_.sleep_until(engine_.now() + duration);
}

/// Passes together with what comes next, as one sleep of the fiber.
void VirtualHost::charge_time(Duration time) {
    charged_ += time + std::exchange(owed_, {});
    unsettled_ = charged_ > Duration{};
}

void VirtualHost::charge_for(fabric::Work work, std::uint64_t n) {
    const auto times = static_cast<std::int64_t>(n);
    switch (work) {
        case fabric::Work::match_entry:
            return charge_time(costs_.match_entry * times);
        case fabric::Work::request:
            return charge_time(costs_.request * times);
    }
}

Duration VirtualHost::memory_time(std::uint64_t n, const std::byte* to, const std::byte* from) {
    Duration time;
    if (!memory_) return time;
    if (from != nullptr) time += memory_->read(from, n);
    if (to != nullptr) time += memory_->write(to, n);
    return time;
}

bool VirtualHost::wait(Ticket ticket, Time deadline, fabric::Wait how) {
    return wait(ticket, deadline, how, [&] { return describe_wait(ticket); });
}

bool VirtualHost::wait(Ticket ticket, Time deadline, fabric::Wait how,
                       const sim::Reason& waits_for) {
    compute({});
    if (arrived_since(ticket, how)) return true;
    // A rank that is being given up must not wait in its destructors.
    if (deadline <= engine_.now() || engine_.unwinding()) return false;

    struct Waiting {  // undone by an unwinding, too
        VirtualHost& host;
        sim::Event timer;
        ~Waiting() {
            host.engine_.cancel(timer);
            host.waiter_ = nullptr;
        }
    };
    {
        waiter_ = engine_.current();
        how_ = how;
        const Waiting waiting{*this, engine_.schedule(deadline, [this] { wake_waiter(); })};
        engine_.suspend(waits_for);
    }
    if (!arrived_since(ticket, how)) return false;
    compute(how == fabric::Wait::sleep ? costs_.interrupt : costs_.detect);
    return true;
}

/// Only for the report of a deadlock: a deadline is a reason to go on, so there is none.
std::string VirtualHost::describe_wait(Ticket ticket) const {
    std::string text =
        fmt::format("an arrival: a completion, a write or a connection request; {}, {} came before",
                    how_ == fabric::Wait::sleep ? "asleep" : "spinning", ticket);
    if (arrivals_ > ticket)
        text += fmt::format(", and {} since that do not wake a sleeper, not being solicited",
                            arrivals_ - ticket);
    return text;
}

void VirtualHost::notify() {
    loud_arrivals_ = ++arrivals_;
    wake_waiter();
}

void VirtualHost::notify_quietly() {
    ++arrivals_;
    if (how_ != fabric::Wait::sleep) wake_waiter();
}

void VirtualHost::wake_waiter() {
    if (waiter_) return engine_.resume(*waiter_);
    beside_.due = true;
    if (beside_.waiter) engine_.resume(*beside_.waiter);
}

bool VirtualHost::wait_beside() {
    settle();
    beside_.waiter = engine_.current();
    while (!beside_.due && !beside_.ended)
        engine_.suspend("an arrival, beside its rank");
    beside_.waiter = nullptr;
    if (beside_.ended) return false;
    beside_.due = false;
    engine_.sleep_until(engine_.now() + costs_.interrupt);
    return !beside_.ended;
}

void VirtualHost::end_beside() {
    beside_.ended = true;
    if (beside_.waiter) engine_.resume(*beside_.waiter);
}

}  // namespace railyard::hosts
