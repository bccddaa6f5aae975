#include "job/line_labels.hpp"

#include <fmt/format.h>
#include <unistd.h>

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
    write_all(fd_, lines);
}

void LineLabels::finish() {
    if (!unfinished_.empty()) feed("\n");
}

RankOutputs labelled_outputs(int rank) {
    return {std::make_unique<LineLabels>(rank, STDOUT_FILENO),
            std::make_unique<LineLabels>(rank, STDERR_FILENO)};
}

}  // namespace railyard::job
