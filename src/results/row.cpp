#include "railyard/results/row.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "railyard/base/error.hpp"

namespace railyard::results {

namespace {

double percentile(const std::vector<double>& sorted, double percent) {
    const double position = percent / 100 * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    if (below + 1 >= sorted.size()) return sorted.back();
    const double part = position - static_cast<double>(below);
    // Not a + (b - a) * part, so that equal samples give exactly themselves.
    if (sorted[below] == sorted[below + 1]) return sorted[below];
    return sorted[below] * (1 - part) + sorted[below + 1] * part;
}

}  // namespace

Statistics summarize(std::vector<double> samples) {
    if (samples.empty()) throw Error("statistics: there are no samples to summarize");
    for (const double sample : samples)
        if (!std::isfinite(sample)) throw Error("statistics: a sample is not a finite number");

    std::sort(samples.begin(), samples.end());
    Statistics s;
    s.p1 = percentile(samples, 1);
    s.p50 = percentile(samples, 50);
    s.p99 = percentile(samples, 99);
    s.min = samples.front();
    s.max = samples.back();
    s.iterations = samples.size();
    // Summed from the smallest up, which loses least, and in an order that does not depend on how
    // the samples came. Clamped, since rounding may carry the mean of equal samples past them.
    const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
    s.mean = std::clamp(sum / static_cast<double>(samples.size()), s.min, s.max);
    if (s.p50 != 0)
        s.spread = (percentile(samples, 75) - percentile(samples, 25)) / std::abs(s.p50);
    return s;
}

Statistics single(double value, std::uint64_t iterations) {
    if (!std::isfinite(value)) throw Error("statistics: the value is not a finite number");
    return {.p1 = value,
            .p50 = value,
            .p99 = value,
            .mean = value,
            .min = value,
            .max = value,
            .spread = 0,
            .iterations = iterations};
}

}  // namespace railyard::results
