#include "launch/job/line_labels.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace railyard::job {

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
