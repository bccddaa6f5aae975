#include "launch/agents/own_input.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace railyard::cluster {

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

}  // namespace railyard::cluster
