#include "launch/agents/input_feed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::cluster {

InputFeed::InputFeed(Reactor& reactor, Reactor::Call ready)
    : reactor_(reactor), ready_(std::move(ready)) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe");
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
    if (waiting_.empty())
        watch_.reset();
    else if (!watch_)
        watch_ = reactor_.watch(write_.get(), Reactor::For::writing, ready_);
    if (ended_ && waiting_.empty()) write_.reset();
    return given;
}

}  // namespace railyard::cluster
