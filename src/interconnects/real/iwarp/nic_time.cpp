// What a Nic does as time passes: attempts that are too late, peers that are silent, connections
// that linger; and its thread, if it has one.

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/queue_pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp {

namespace {

// How long a peer may take to read what was sent before a connection's end, and to end it, too.
constexpr Duration lingering_time = Duration::s(2);
// How long the end of a Nic waits for what was sent to be acknowledged.
constexpr Duration parting_time = Duration::s(1);

}  // namespace

bool Nic::tick(Time now) {
    const auto held = guard();
    return tick_once(now);
}

bool Nic::tick_once(Time now) {
    const std::uint64_t before = news_;
    rounds_ = 0;
    const std::vector<QueuePair*> candidates = timed_;
    for (QueuePair* queue_pair : candidates)
        queue_pair->tick(now);
    std::erase_if(timed_, [](QueuePair* q) { return q->next_timer() == Time::never(); });
    connection_requests_.tick(now);
    for (const auto& link : lingering_)
        if (now >= link->until()) link->give_up();
    reap();
    if (check_due_) {
        check_due_ = false;
        next_check_ = now + settings_.patience / 4;
    }
    if (now >= next_check_) check_senders(now);
    if (now >= next_heartbeat_) check_life(now);
    return news_ != before;
}

Time Nic::next_timer() const {
    const auto held = guard();
    return earliest_timer();
}

Time Nic::earliest_timer() const {
    Time next = std::min({next_check_, next_heartbeat_, connection_requests_.next_timer()});
    if (check_due_) next = std::min(next, host_.now() + settings_.patience / 4);
    for (const QueuePair* queue_pair : timed_)
        next = std::min(next, queue_pair->next_timer());
    for (const auto& link : lingering_)
        next = std::min(next, link->until());
    return next;
}

/// Those who sent something: has the other host acknowledged it? If all have, nobody is looked at
/// any more until something is sent.
void Nic::check_senders(Time now) {
    std::erase_if(senders_, [&](Link* link) {
        const Acknowledged state = link->acknowledged_by_peer();
        if (state.all) return !(link->in_sender_list = false);
        // Before something was sent there was nothing to acknowledge.
        const Duration silence = std::min(state.silence, now - link->sending_since);
        if (silence >= settings_.patience) {
            log_debug("iwarp: a host has acknowledged nothing for {} s", silence.seconds());
            dead_.push_back(link);
        }
        return false;
    });
    next_check_ = senders_.empty() ? Time::never() : now + settings_.patience / 4;
    end_dead();
}

/// Who has said nothing for half of the heartbeat's time is asked; who has not answered by its end
/// is dead.
void Nic::check_life(Time now) {
    next_heartbeat_ = now + settings_.heartbeat / 4;
    for (Link* link : links_) {
        // Who cannot be asked is TCP's to watch.
        if (link->has_spoken() || !link->stream().may_ask()) link->last_heard = now;
        const Duration silence = now - link->last_heard;
        if (silence >= settings_.heartbeat) {
            dead_.push_back(link);
        } else if (silence >= settings_.heartbeat / 2) {
            link->ask_for_life();
        }
    }
    end_dead();
}

void Nic::end_dead() {
    for (Link* link : dead_)
        link->peer_ended();
    dead_.clear();
}

void Nic::linger(std::unique_ptr<Link> link, bool abrupt) {
    link->detach(abrupt, host_.now() + lingering_time);
    lingering_.push_back(std::move(link));
}

void Nic::reap() {
    std::erase_if(lingering_, [](const auto& link) { return link->finished(); });
}

/// What was sent before the end is to arrive. Once the other host has it, this one may forget.
void Nic::finish_lingering() {
    const Time until = host_.now() + parting_time;
    const auto waits = [](const auto& link) { return link->undelivered(); };
    while (std::ranges::any_of(lingering_, waits) && host_.now() < until) {
        pollfd events{events_.descriptor(), POLLIN, 0};
        constexpr int a_little_ms = 1;
        ::poll(&events, 1, a_little_ms);
        events_.serve();
        reap();
    }
    // Closing with bytes unread would send a reset.
    for (const auto& link : lingering_)
        link->receive();
    lingering_.clear();
}

void Nic::start_thread() {
    wake_thread_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_thread_) throw system_error("iwarp: a progress thread");
    bell_ = hosts::RemoteBell(host_.bell().handle());
    thread_ = std::thread([this] { run_thread(); });
}

void Nic::stop_thread() {
    if (!thread_.joinable()) return;
    ending_.store(true, std::memory_order_relaxed);  // the eventfd orders it
    const std::uint64_t one = 1;
    (void)!write(wake_thread_.get(), &one, sizeof one);
    thread_.join();
}

void Nic::run_thread() {
    set_log_label("iwarp progress");
    while (!ending_.load(std::memory_order_relaxed)) {
        Time next;
        {
            const auto held = guard();
            next = ready_.empty() ? earliest_timer() : Time();
        }
        int timeout = -1;
        if (next != Time::never()) {
            const Duration left = std::max(Duration(), next - host_.now());
            constexpr std::int64_t longest = 1000;
            timeout = static_cast<int>(std::min(
                longest, (left.picoseconds() + 999'999'999) / Duration::ms(1).picoseconds()));
        }
        pollfd waiting[] = {{events_.descriptor(), POLLIN, 0}, {wake_thread_.get(), POLLIN, 0}};
        ::poll(waiting, std::size(waiting), timeout);
        bool news = false;
        {
            const auto held = guard();
            rounds_ = 0;
            news = progress_once();
            if (host_.now() >= earliest_timer() || check_due_) news |= tick_once(host_.now());
        }
        if (news) bell_.ring_if_asleep();
    }
}

}  // namespace railyard::iwarp
