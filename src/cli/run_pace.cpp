#include "cli/run_pace.hpp"

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "experiments/core/advance.hpp"

namespace railyard::cli {

namespace {

/// Three digits that say something.
std::string rough(double value) {
    return value < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

std::string rough(Duration time) {
    if (time < Duration::ms(1)) return rough(time.microseconds()) + " us";
    if (time < Duration::s(1)) return rough(time.seconds() * 1e3) + " ms";
    return rough(time.seconds()) + " s";
}

std::string a_second(double calls) {
    if (calls < 1e6) return rough(calls * 1e-3) + " k calls/s";
    return rough(calls * 1e-6) + " M calls/s";
}

}  // namespace

std::string RunPace::tell(Duration elapsed) {
    const std::uint64_t calls = progress_.calls();
    if (calls == 0) return "";
    // What people want to know first: a narrow terminal cuts off the rest.
    std::string text;
    if (const auto left = time_left(elapsed))
        text = fmt::format(", {} left", experiments::about(*left));
    text += fmt::format(": {} virtual time", rough(progress_.now()));
    if (elapsed > last_.at)
        text += ", " +
                a_second(static_cast<double>(calls - last_.calls) / (elapsed - last_.at).seconds());
    last_ = {elapsed, calls};
    return text;
}

/// As fast as since the first step that was told of; none before there are two.
std::optional<Duration> RunPace::time_left(Duration elapsed) {
    const std::int64_t left = progress_.steps_left();
    if (left == runs::RunProgress::unknown) return std::nullopt;
    // A program may have several loops.
    if (!first_ || left > first_->left) first_ = {elapsed, left};
    if (left == first_->left) return std::nullopt;
    return Duration::from_seconds((elapsed - first_->at).seconds() * static_cast<double>(left) /
                                  static_cast<double>(first_->left - left));
}

}  // namespace railyard::cli
