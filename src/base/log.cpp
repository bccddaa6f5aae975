#include "base/log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "railyard/base/error.hpp"

namespace railyard {
namespace {

constexpr std::array levels{LogLevel::error, LogLevel::warning, LogLevel::info, LogLevel::debug};

/// Plain characters, not a string, so that destructors at the very end may still log.
thread_local std::array<char, 64> label{};

/// All of it, unless stderr is gone: then nobody is left to be told.
void write_all(const char* data, std::size_t size) {
    while (size > 0) {
        const ssize_t n = ::write(STDERR_FILENO, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        data += n;
        size -= static_cast<std::size_t>(n);
    }
}

}  // namespace

std::string_view name(LogLevel level) {
    switch (level) {
        case LogLevel::error:
            return "error";
        case LogLevel::warning:
            return "warning";
        case LogLevel::info:
            return "info";
        case LogLevel::debug:
            return "debug";
    }
    return "unknown level";
}

LogLevel parse_log_level(std::string_view text) {
    for (const LogLevel level : levels)
        if (text == name(level)) return level;
    throw UsageError(fmt::format(
        "expected a log level, which is error, warning, info or debug, found '{}'", text));
}

LogLevel log_level() {
    const int level = detail::log_level.load(std::memory_order_relaxed);
    return static_cast<LogLevel>(level == detail::log_level_unknown ? detail::read_log_level()
                                                                    : level);
}

void set_log_level(LogLevel level) {
    detail::log_level.store(static_cast<int>(level), std::memory_order_relaxed);
}

void set_log_label(std::string_view text) {
    const std::size_t n = text.copy(label.data(), label.size() - 1);
    label[n] = '\0';
}

namespace detail {

int read_log_level() {
    LogLevel level = LogLevel::warning;
    std::string complaint;
    if (const char* text = std::getenv("RAILYARD_LOG"); text != nullptr && *text != '\0') {
        try {
            level = parse_log_level(text);
        } catch (const UsageError& error) {
            complaint = error.what();
        }
    }
    int current = log_level_unknown;
    // Whoever comes first, set_log_level() included, decides; and only the first complains.
    if (!log_level.compare_exchange_strong(current, static_cast<int>(level),
                                           std::memory_order_relaxed))
        return current;
    if (!complaint.empty()) log_warning("RAILYARD_LOG: {}", complaint);
    return static_cast<int>(level);
}

void write_log(LogLevel level, fmt::string_view format, fmt::format_args arguments) {
    const int saved_errno = errno;  // a message must not change what it reports on
    fmt::memory_buffer line;
    const auto out = fmt::appender(line);
    fmt::format_to(out, "railyard: ");
    if (label[0] != '\0') fmt::format_to(out, "{}: ", label.data());
    fmt::format_to(out, "{}: ", name(level));
    fmt::vformat_to(out, format, arguments);
    line.push_back('\n');
    write_all(line.data(), line.size());
    errno = saved_errno;
}

}  // namespace detail
}  // namespace railyard
