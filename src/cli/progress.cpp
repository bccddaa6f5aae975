#include "cli/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace railyard::cli {

namespace {

/// To the left edge, and rub out what is there.
constexpr std::string_view empty_line = "\r\033[K";

void put(std::string_view text) {
    // One write, so that lines of other processes do not come between. If it fails, nobody sees
    // the progress, which is no reason to fail.
    [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

std::size_t terminal_width() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

ProgressLine::ProgressLine(bool wanted) : shown_(wanted && ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    clear();
}

void ProgressLine::show(std::string_view what) const {
    // A line that is too long would wrap, and could not be rubbed out any more.
    if (shown_) put(std::string(empty_line).append(what.substr(0, terminal_width() - 1)));
}

void ProgressLine::clear() const {
    if (shown_) put(empty_line);
}

}  // namespace railyard::cli
