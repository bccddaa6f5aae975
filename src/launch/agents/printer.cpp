#include "launch/agents/printer.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "launch/job/output.hpp"

namespace railyard::cluster {

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

}  // namespace railyard::cluster
