#include "experiments/core/advance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

namespace railyard::experiments {

Advance::Advance(std::size_t all)
    : all_(all),
      shared_(Bytes(sizeof(std::atomic<std::size_t>))),
      done_(new (shared_.span().data()) std::atomic<std::size_t>(0)) {}

void Advance::add(std::size_t points) const {
    // Relaxed: nothing but the number itself is handed over.
    done_->fetch_add(points, std::memory_order_relaxed);
}

std::string Advance::tell(std::string_view what, double own) const {
    const double done = std::min(static_cast<double>(done_->load(std::memory_order_relaxed)) + own,
                                 static_cast<double>(all_));
    const auto at = std::min(static_cast<std::size_t>(done) + 1, all_);
    std::string left;
    const Duration so_far = elapsed();
    if (so_far > Duration::s(1) && done > 0)
        left = fmt::format(
            ", {} left", about(Duration::from_seconds(so_far.seconds() *
                                                      (static_cast<double>(all_) - done) / done)));
    return fmt::format("{} of {}{}: {}", at, all_, left, what);
}

std::string about(Duration time) {
    const double seconds = std::ceil(time.seconds());
    return seconds <= 90 ? fmt::format("{:.0f} s", seconds)
                         : fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

}  // namespace railyard::experiments
