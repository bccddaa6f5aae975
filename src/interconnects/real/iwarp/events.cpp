#include "interconnects/real/iwarp/events.hpp"

#include "railyard/base/error.hpp"

namespace railyard::iwarp {

Events::Events() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) throw system_error("iwarp: epoll");
}

bool Events::set(int operation, int socket, Watcher& watcher, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = &watcher;
    return epoll_ctl(epoll_.get(), operation, socket, &event) == 0;
}

void Events::forget(const Watcher& watcher) {
    for (std::size_t i = next_; i < count_; ++i)
        if (round_[i].data.ptr == &watcher) round_[i].data.ptr = nullptr;
}

bool Events::serve() {
    const int found = epoll_wait(epoll_.get(), round_.data(), static_cast<int>(round_.size()), 0);
    if (found <= 0) return false;
    count_ = static_cast<std::size_t>(found);
    for (next_ = 0; next_ < count_;) {
        const epoll_event& event = round_[next_++];
        if (event.data.ptr != nullptr) static_cast<Watcher*>(event.data.ptr)->ready(event.events);
    }
    next_ = count_ = 0;
    return true;
}

}  // namespace railyard::iwarp
