#pragma once
/// What experiments measure on `ideal`, by arithmetic.

#include <utility>

#include "experiments/measure.hpp"

namespace railyard::experiments {

inline constexpr double ideal_latency = 1.0;  ///< us
inline constexpr double ideal_rate = 1000.0;  ///< MB/s, which is bytes a microsecond

inline Wishes wishes_for(std::vector<Bytes> sizes) {
    Wishes wishes;
    wishes.sizes = std::move(sizes);
    return wishes;
}

inline double size_of(const results::Row& row) {
    return static_cast<double>(integer(row, results::parameter::message_bytes));
}

/// A window's bytes, then the way there of the last and the way back of the reply.
inline double bandwidth_of_window(double window, const results::Row& row) {
    const double bytes = window * size_of(row);
    return bytes / (bytes / ideal_rate + 2 * ideal_latency);
}

inline double window_bandwidth(const results::Row& row) {
    return bandwidth_of_window(static_cast<double>(integer(row, results::parameter::window)), row);
}

}  // namespace railyard::experiments
