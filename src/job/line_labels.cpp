#include "job/line_labels.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace railyard::job {

LineLabels::LineLabels(int rank, int fd) : label_(fmt::format("[{}] ", rank)), fd_(fd) {}

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
    pass_on(lines);
}

void LineLabels::finish() {
    if (!unfinished_.empty()) feed("\n");
}

void LineLabels::pass_on(std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd_, text.data(), text.size());
        if (n >= 0) {
            text.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno == EAGAIN) {
            // Somebody made our output non-blocking; wait for the reader as others would.
            pollfd wait{fd_, POLLOUT, 0};
            ::poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return;  // Nobody is there to read it, and there is nowhere else to say so.
        }
    }
}

}  // namespace railyard::job
