#include "launch/agents/streams.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "launch/job/output.hpp"
#include "railyard/base/error.hpp"

namespace railyard::agents {

Printer::Printer(Reactor& reactor, int ranks, bool with_labels)
    : streams_{{{reactor, STDOUT_FILENO}, {reactor, STDERR_FILENO}}} {
    const auto labels_to = [](int rank, Stream& stream) {
        return std::make_unique<job::LineLabels>(
            rank, [&stream](std::string_view text) { stream.add(text); });
    };
    for (int rank = 0; with_labels && rank < ranks; ++rank)
        labels_.push_back({labels_to(rank, streams_[0]), labels_to(rank, streams_[1])});
}

void Printer::print(const Printed& printed) {
    if (labels_.empty()) return streams_[printed.is_error ? 1 : 0].add(printed.bytes);
    const job::RankOutputs& labels = labels_.at(printed.rank);
    (printed.is_error ? labels.errors : labels.output)->feed(printed.bytes);
}

void Printer::finish(int rank) {
    if (labels_.empty()) return;
    const job::RankOutputs& labels = labels_.at(static_cast<std::size_t>(rank));
    labels.output->finish();
    labels.errors->finish();
}

bool Printer::is_idle() const {
    return std::ranges::all_of(streams_, [](const Stream& s) { return s.waiting.empty(); });
}

void Printer::Stream::add(std::string_view text) {
    if (text.empty()) return;
    waiting.emplace_back(text);
    if (watch) return;  // It is told when there is room.
    advance();
    if (!waiting.empty())
        watch = reactor.watch(fd, Reactor::For::writing, [this] {
            advance();
            if (waiting.empty()) watch.reset();
        });
}

void Printer::Stream::advance() {
    while (!waiting.empty()) {
        // Asked each time: the reactor has told of room once, and the next piece may not fit.
        pollfd ready{fd, POLLOUT, 0};
        if (::poll(&ready, 1, 0) != 1) return;
        std::string& next = waiting.front();
        // The descriptor is others' too, and may block; but so much goes into a pipe that is ready.
        const ssize_t n = ::write(fd, next.data(), std::min<std::size_t>(next.size(), PIPE_BUF));
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        // What nobody can read any more is dropped: there is nowhere else to say so.
        next.erase(0, n > 0 ? static_cast<std::size_t>(n) : next.size());
        if (next.empty()) waiting.pop_front();
    }
}

OwnInput::OwnInput() : is_terminal_(::isatty(STDIN_FILENO) == 1) {}

int OwnInput::descriptor() const {
    return ended_ || allowed_ == 0 || waits_for_terminal() ? -1 : STDIN_FILENO;
}

bool OwnInput::waits_for_terminal() const {
    // A process in the background that reads its terminal is stopped.
    return is_terminal_ && !ended_ && allowed_ > 0 && ::tcgetpgrp(STDIN_FILENO) != ::getpgrp();
}

std::optional<std::string> OwnInput::read() {
    std::string bytes(std::min<std::size_t>(allowed_, 16 << 10), '\0');
    const ssize_t n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
    bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    allowed_ -= bytes.size();
    ended_ = bytes.empty();
    return bytes;
}

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

}  // namespace railyard::agents
