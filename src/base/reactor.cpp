#include "base/reactor.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "railyard/base/error.hpp"

namespace railyard {

namespace {

std::uint32_t epoll_events(Reactor::For what) {
    if (what == Reactor::For::reading) return EPOLLIN;
    return what == Reactor::For::writing ? EPOLLOUT : EPOLLIN | EPOLLOUT;
}

}  // namespace

Reactor::Reactor() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) throw system_error("cannot make an epoll descriptor");
}

Reactor::Watch Reactor::watch(int fd, For what, Call ready) {
    const Id id = next_++;
    epoll_event event{};
    event.events = epoll_events(what);
    event.data.u64 = id;
    const bool is_watched = ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
    // Files, which are always ready, cannot be waited for.
    const bool is_file = !is_watched && errno == EPERM;
    if (!is_watched && !is_file) throw system_error("cannot wait for a descriptor");
    files_ += is_file ? 1 : 0;
    watched_.emplace(id, Watched{fd, is_file, std::make_shared<Call>(std::move(ready))});
    return Watch(*this, id);
}

Reactor::Timer Reactor::after(Duration time, Call call) {
    const Id id = next_++;
    timers_.emplace(id, Timed{Deadline(time), std::make_shared<Call>(std::move(call))});
    return Timer(*this, id);
}

void Reactor::forget(Id id) {
    timers_.erase(id);
    const auto found = watched_.find(id);
    if (found == watched_.end()) return;
    // By hand: a child forked later may hold the same open file, and epoll would go on telling of
    // it.
    if (found->second.is_file)
        --files_;
    else
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second.fd, nullptr);
    watched_.erase(found);
}

void Reactor::change(Id id, For what) {
    const auto found = watched_.find(id);
    if (found == watched_.end() || found->second.is_file) return;
    epoll_event event{};
    event.events = epoll_events(what);
    event.data.u64 = id;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, found->second.fd, &event);
}

int Reactor::patience() const {
    if (files_ > 0) return 0;
    int least = -1;
    for (const auto& [id, timer] : timers_)
        if (const int left = timer.at.milliseconds_left(); least < 0 || left < least) least = left;
    return least;
}

void Reactor::turn() {
    std::array<epoll_event, 64> events;
    const int n = ::epoll_wait(epoll_.get(), events.data(), events.size(), patience());
    if (n < 0 && errno != EINTR) throw system_error("cannot wait");
    std::vector<Id> ready;
    ready.reserve(events.size());
    for (int i = 0; i < n; ++i)
        ready.push_back(events[static_cast<std::size_t>(i)].data.u64);
    for (const auto& [id, watched] : watched_)
        if (files_ > 0 && watched.is_file) ready.push_back(id);
    if (look_first_) look_first_();
    for (const Id id : ready)
        // Somebody before may have forgotten it. Whoever forgets itself is kept until it returns.
        if (const auto found = watched_.find(id); found != watched_.end()) {
            const std::shared_ptr<Call> call = found->second.ready;
            (*call)();
        }
    call_timers();
}

void Reactor::call_timers() {
    std::vector<std::pair<Id, Timed>> due;
    for (const auto& [id, timer] : timers_)
        if (timer.at.passed()) due.emplace_back(id, timer);
    // Whoever slept too long finds several.
    std::ranges::stable_sort(
        due, [](const auto& a, const auto& b) { return a.second.at.before(b.second.at); });
    for (const auto& [id, timer] : due)
        if (timers_.erase(id) > 0) (*timer.call)();
}

}  // namespace railyard
