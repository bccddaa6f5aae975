#include "launch/agents/input_feed.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>

#include "railyard/base/error.hpp"

namespace railyard::cluster {

InputFeed::InputFeed() : ready_(::epoll_create1(EPOLL_CLOEXEC)) {
    int ends[2];
    if (!ready_ || ::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe");
    read_ = Descriptor(ends[0]);
    write_ = Descriptor(ends[1]);
    // The rank's end still blocks, as programs expect of their input.
    if (::fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0) throw system_error("cannot set up a pipe");
}

std::size_t InputFeed::advance() {
    std::size_t given = 0;
    while (write_ && given < waiting_.size()) {
        const ssize_t n = ::write(write_.get(), waiting_.data() + given, waiting_.size() - given);
        if (n > 0)
            given += static_cast<std::size_t>(n);
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR)
            throw system_error("cannot pass on the input of rank 0");
    }
    waiting_.erase(0, given);
    watch(!waiting_.empty());
    if (ended_ && waiting_.empty()) write_.reset();
    return given;
}

void InputFeed::watch(bool yes) {
    if (yes == watches_) return;
    watches_ = yes;
    epoll_event event{};
    event.events = EPOLLOUT;
    ::epoll_ctl(ready_.get(), yes ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, write_.get(), &event);
}

}  // namespace railyard::cluster
