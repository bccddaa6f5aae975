#include "job/own_input.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace railyard::job {

OwnInput::OwnInput() : is_terminal_(::isatty(STDIN_FILENO) == 1) {}

int OwnInput::descriptor() const {
    if (ended_ || allowed_ == 0) return -1;
    // A process in the background that reads its terminal is stopped.
    if (is_terminal_ && ::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return -1;
    return STDIN_FILENO;
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

}  // namespace railyard::job
