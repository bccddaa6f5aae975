#include "launch/job/output.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace railyard::job {

void write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n >= 0) {
            text.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno == EAGAIN) {
            // Somebody made our output non-blocking; wait for the reader, and for nothing else, as
            // a blocking write would.
            pollfd wait{fd, POLLOUT, 0};
            ::poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return;  // Nobody is there to read it, and there is nowhere else to say so.
        }
    }
}

LineLabels::LineLabels(int rank, Write write)
    : label_(fmt::format("[{}] ", rank)), write_(std::move(write)) {}

void LineLabels::feed(std::string_view piece) {
    std::string lines;
    for (;;) {
        const std::size_t newline = piece.find('\n');
        if (newline == std::string_view::npos) break;
        lines += label_;
        lines += unfinished_;
        lines += piece.substr(0, newline + 1);
        unfinished_.clear();
        piece.remove_prefix(newline + 1);
    }
    unfinished_ += piece;
    write_(lines);
}

void LineLabels::finish() {
    if (!unfinished_.empty()) feed("\n");
}

RankOutputs labelled_outputs(int rank) {
    const auto to = [rank](int fd) {
        return std::make_unique<LineLabels>(rank,
                                            [fd](std::string_view text) { write_all(fd, text); });
    };
    return {to(STDOUT_FILENO), to(STDERR_FILENO)};
}

}  // namespace railyard::job
