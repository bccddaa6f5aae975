#include "experiments/core/pace.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "experiments/core/exchange.hpp"

namespace railyard::experiments {

Pace::Pace(job::Rank& rank, std::optional<Duration> budget)
    : rank_(rank), budget_(budget), start_(rank.host().now()), point_start_(start_) {}

double Pace::seconds_at(Bytes size) const {
    const auto next = seconds_.upper_bound(size);
    if (next == seconds_.begin()) return 0;
    const auto& [known, seconds] = *std::prev(next);
    if (known == size) return seconds;
    // Rather too long: no more than in proportion to the size.
    return seconds *
           std::min(2.0, static_cast<double>(size.count()) /
                             static_cast<double>(std::max<std::uint64_t>(known.count(), 1)));
}

void Pace::begin(Bytes size, std::size_t left, std::size_t things) {
    if (!budget_) return;
    const std::string key = "pace/" + std::to_string(points_++);
    size_ = size;
    iterations_ = 0;
    if (rank_.id() != 0) {
        fit_ = values_of<double>(rank_, 0, key).at(0);
        return;
    }
    point_start_ = rank_.host().now();
    const Duration used = point_start_ - start_;
    const double share =
        std::max(0.0, budget_->seconds() - used.seconds()) / static_cast<double>(left * things);
    const double each = seconds_at(size);
    fit_ = each > 0 ? std::max(1.0, share / each) : 0;
    rank_.bootstrap().put(key, std::as_bytes(std::span(&fit_, 1)));
}

unsigned Pace::afford(unsigned wanted, unsigned least) {
    const bool fits = fit_ == 0 || fit_ >= static_cast<double>(wanted);
    const unsigned n =
        fits ? wanted : std::max(static_cast<unsigned>(fit_), std::min(least, wanted));
    iterations_ += n;
    return n;
}

void Pace::end() {
    if (!budget_ || rank_.id() != 0 || iterations_ == 0) return;
    const Duration took = rank_.host().now() - point_start_;
    seconds_[size_] = took.seconds() / static_cast<double>(iterations_);
}

}  // namespace railyard::experiments
