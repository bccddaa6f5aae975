#pragma once
/// What many measurements of one thing say: percentiles, mean, extremes and spread.

#include <cstdint>
#include <vector>

namespace railyard::results {

/// All in the unit of the row that carries it, except `spread` (a ratio) and `iterations`.
struct Statistics {
    double p1 = 0;
    double p50 = 0;  ///< the median
    double p99 = 0;
    double mean = 0;
    double min = 0;
    double max = 0;
    /// The interquartile range over the median, (p75 - p25) / p50: how far apart the middle half of
    /// the samples lies. 0 when the median is 0.
    double spread = 0;
    std::uint64_t iterations = 0;  ///< how many samples there were

    friend bool operator==(const Statistics&, const Statistics&) = default;
};

/// Percentiles are interpolated linearly between the two nearest samples. Throws Error when there
/// are no samples, or when one of them is not a number.
Statistics summarize(std::vector<double> samples);

/// For a thing measured once as a whole: `value` everywhere, spread 0.
Statistics single(double value, std::uint64_t iterations = 1);

}  // namespace railyard::results
