#include "hosts/real_host.hpp"

#include <poll.h>
#include <sched.h>
#include <time.h>

#include <algorithm>

namespace railyard::hosts {

using fabric::Wait;

namespace {

// About 20 to 80 microseconds of looking, depending on what a look costs: longer than a message
// takes on any fabric, short against a time slice.
constexpr unsigned spins_on_own_core = 150;
// With fewer cores than ranks the peer may need this very core: look, offer it, look again when it
// comes back, and sleep only when nobody else has needed it for a while. Being offered a core costs
// a fraction of being woken.
constexpr unsigned spins_on_shared_core = 20;
// So it is as long as the core comes back soon. Whoever computes keeps it for a whole time slice,
// and only somebody who is woken gets in between: the longer offers take, the fewer are made.
constexpr unsigned most_patient_spins = 200;
constexpr unsigned fewest_patient_spins = 2;
constexpr std::int64_t long_offer_ns = 300'000;
constexpr unsigned looks_on_shared_core = 2;

std::int64_t clock_ns() {
    struct timespec t {};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

}  // namespace

RealHost::RealHost(Options options)
    : start_ns_(clock_ns()), shares_core_(options.shares_core), place_(options.place) {
    spins_ = shares_core_ ? spins_on_shared_core : spins_on_own_core;
    patient_spins_ = shares_core_ ? most_patient_spins : spins_;
    if (shares_core_) looks_ = looks_on_shared_core;
}

RealHost::~RealHost() = default;

Time RealHost::now() {
    return Time::at(Duration::ns(clock_ns() - start_ns_));
}

void RealHost::compute(Duration duration) {
    const Time end = now() + duration;
    while (now() < end)
        relax();
}

bool RealHost::progress_all() {
    bool any = false;
    for (Source* source : sources_)
        any |= source->make_progress();
    return any;
}

bool RealHost::tick_all() {
    const Time time = now();
    bool any = false;
    for (Source* source : sources_)
        any |= source->tick(time);
    return any;
}

void RealHost::progress() {
    progress_all();
    // Reading the clock costs as much as a look at everything else.
    constexpr unsigned rounds_between_ticks = 256;
    if (++rounds_ % rounds_between_ticks == 0) tick_all();
    if (shares_core_) offer_core();
}

void RealHost::offer_core() {
    const std::int64_t before = clock_ns();
    sched_yield();
    if (clock_ns() - before > long_offer_ns)
        patient_spins_ = std::max(patient_spins_ / 4, fewest_patient_spins);
    else if (patient_spins_ < most_patient_spins)
        ++patient_spins_;
}

RealHost::Ticket RealHost::prepare_wait() {
    for (Source* source : sources_)
        source->expect_wait();
    const bool descriptors = std::any_of(sources_.begin(), sources_.end(),
                                         [](const Source* s) { return s->descriptor() >= 0; });
    if (descriptors) bell_.descriptor();
    return bell_.prepare(descriptors);
}

void RealHost::cancel_wait() {
    bell_.awake();
}

bool RealHost::wait(Ticket ticket, Time deadline, Wait how) {
    // A peer may wait for our help with something that the caller does not look at.
    const bool ticked = tick_all();
    const bool moved = progress_all();
    if (moved) ++arrivals_;
    if (!moved && !ticked && how != Wait::spin) {
        // A socket may have something that no waiter cares about: a message that nobody wanted to
        // be woken for, an acknowledgement. It may have set a timer.
        for (;;) {
            const Time until = earliest_timer(deadline);
            if (now() >= until || sleep(ticket, until) != Woken::by_descriptor) break;
            ++arrivals_;
            if (progress_all()) break;
        }
    }
    bell_.awake();
    return now() < deadline;
}

Time RealHost::earliest_timer(Time deadline) const {
    Time earliest = deadline;
    for (const Source* source : sources_)
        earliest = std::min(earliest, source->next_timer());
    return earliest;
}

RealHost::Woken RealHost::sleep(Ticket ticket, Time until) {
    struct timespec timeout {};
    const struct timespec* limit = nullptr;
    if (until != Time::never()) {
        const std::int64_t ps = std::max<std::int64_t>(0, (until - now()).picoseconds());
        const std::int64_t ns = (ps + 999) / 1000;
        timeout = {ns / 1'000'000'000, ns % 1'000'000'000};
        limit = &timeout;
    }
    std::vector<pollfd> waiting;
    for (const Source* source : sources_)
        if (source->descriptor() >= 0) waiting.push_back({source->descriptor(), POLLIN, 0});
    if (waiting.empty()) {
        bell_.sleep(static_cast<std::uint32_t>(ticket), limit);
        return Woken::by_bell_or_time;
    }
    waiting.push_back({bell_.descriptor(), POLLIN, 0});
    int woken = 0;
    if (!bell_.rung_since(static_cast<std::uint32_t>(ticket)))
        woken = ppoll(waiting.data(), waiting.size(), limit, nullptr);
    const bool rung = bell_.rung_since(static_cast<std::uint32_t>(ticket));
    bell_.drain();
    return woken > 0 && !rung ? Woken::by_descriptor : Woken::by_bell_or_time;
}

void RealHost::attach(Source& source) {
    sources_.push_back(&source);
}

void RealHost::detach(Source& source) {
    std::erase(sources_, &source);
}

}  // namespace railyard::hosts
