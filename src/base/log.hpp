#pragma once
/// Messages to the person at the terminal, on stderr, one write a line, so that the lines of many
/// ranks do not mix. How much is said is set by RAILYARD_LOG (error, warning, info or debug;
/// warning if unset) or by set_log_level(). Any thread may log at any time.
///
///     log_info("node {}: {} ranks", node, ranks);

#include <fmt/core.h>

#include <atomic>
#include <cstdint>
#include <string_view>

namespace railyard {

enum class LogLevel : std::uint8_t { error, warning, info, debug };

std::string_view name(LogLevel level);
/// Throws UsageError, which lists the levels.
LogLevel parse_log_level(std::string_view text);

LogLevel log_level();
void set_log_level(LogLevel level);

/// Begins every later line of the calling thread's, e.g. "rank 3"; empty for none, 63 characters
/// at most. A thread's own, because in some jobs ranks are threads.
void set_log_label(std::string_view label);

namespace detail {
/// A LogLevel, or this while the environment has not been asked.
inline constexpr int log_level_unknown = -1;
inline constinit std::atomic<int> log_level{log_level_unknown};
int read_log_level();
void write_log(LogLevel level, fmt::string_view format, fmt::format_args arguments);
}  // namespace detail

/// One load and a branch, for messages whose arguments are dear to compute.
inline bool log_on(LogLevel level) {
    // Relaxed: no other memory depends on it, and a change may be seen a little late.
    int enabled = detail::log_level.load(std::memory_order_relaxed);
    if (enabled == detail::log_level_unknown) [[unlikely]]
        enabled = detail::read_log_level();
    return static_cast<int>(level) <= enabled;
}

template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
    if (log_on(LogLevel::error))
        detail::write_log(LogLevel::error, format, fmt::make_format_args(args...));
}

template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
    if (log_on(LogLevel::warning))
        detail::write_log(LogLevel::warning, format, fmt::make_format_args(args...));
}

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
    if (log_on(LogLevel::info))
        detail::write_log(LogLevel::info, format, fmt::make_format_args(args...));
}

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
    if (log_on(LogLevel::debug))
        detail::write_log(LogLevel::debug, format, fmt::make_format_args(args...));
}

}  // namespace railyard
