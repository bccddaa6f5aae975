#pragma once
/// What a curve looks like, and which of two lies above: the words of the papers' relations as
/// functions of points. They know neither records nor rows. Thresholds are in choices.hpp.

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace railyard::reproduce {

struct Point {
    double x = 0;
    double y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};
/// In the order of x, each x once.
using Points = std::vector<Point>;

struct Series {
    std::string label;
    Points points;
    bool steady = true;  ///< as of the rows
};

/// Whether a relation holds, by how much, and the numbers behind the answer.
struct Finding {
    bool holds = false;
    std::string numbers;
    /// What separates the two sides, or the shape from the limit at which it is none any more, as a
    /// share of one. Below 0: what is missing. None where there is no degree, as of a count.
    std::optional<double> margin{};
};
/// The lesser of two: several things hold by as much as that which holds least.
std::optional<double> lesser(std::optional<double> a, std::optional<double> b);

enum class Better : unsigned char { lower, higher };
/// Throws Error for another word than "lower" and "higher".
Better better_named(std::string_view word);

// One curve. All answer no if there are fewer points than the question needs.

/// No trend: everything within a small spread.
Finding flat(const Points& points);
/// Nowhere clearly below what came before it: level, or rising.
Finding never_drops(const Points& points);
/// Changes only slightly from the first point to the last.
Finding slight(const Points& points);

enum class Trend : unsigned char { falls, rises };
/// The relative change from the first point to the last, of the last: 1 if it doubles or halves.
double change(const Points& points);
/// Goes one way, a hair's breadth aside. `strength`: "", "weak", "medium", "strong".
Finding monotone(const Points& points, Trend trend, std::string_view strength);

/// Level up to `after`, and clearly worse beyond.
Finding knee(const Points& points, double after, Better better);
/// Falls to its minimum at `at`, and rises beyond.
Finding valley(const Points& points, double at);
/// Somewhere (in `range`, if there is one) clearly below an earlier point, and higher again later.
Finding dip(const Points& points, std::optional<std::pair<double, double>> range);
/// How far at most it falls in `range` below what came before, as a share of that.
double depth(const Points& points, const std::pair<double, double>& range);
/// Whether the place that is asked for lies between two neighbouring points.
using Crossing = std::function<bool(double x, double next)>;
/// One of the steps there is unlike the steps around it.
Finding jump(const Points& points, const Crossing& crossing);
/// None of the steps there is unlike the steps around it.
Finding no_jump(const Points& points, const Crossing& crossing);
/// From there on nowhere clearly above the last point before.
Finding stays_low(const Points& points, double from);
/// All above `value`.
Finding above(const Points& points, double value);
/// All about `value`.
Finding near(const Points& points, double value);

// Several curves. They are compared at every x; all must have the same ones.

/// Best group first: the worst of each is better than the best of the next.
Finding order(std::span<const std::vector<Series>> groups, Better better);
/// Every one of `others` is worse than the best of `best`.
Finding best(std::span<const Series> best, std::span<const Series> others, Better better);

enum class Comparison : unsigned char { less, greater, alike };
/// Throws Error for another word than "<", ">" and "~".
Comparison comparison_named(std::string_view word);
/// `everywhere`: at each x; otherwise nowhere the other way round, and somewhere so. "Alike" is
/// always everywhere.
Finding compare(const Series& lhs, Comparison comparison, const Series& rhs, bool everywhere,
                double tolerance);

/// lhs / rhs is about `value`.
Finding ratio(const Series& lhs, const Series& rhs, double value);
/// All lie between the two.
Finding within(std::span<const Series> series, double low, double high);
/// The slopes grow from each to the next.
Finding slope_order(std::span<const Series> series);
/// As good as the peak.
Finding reaches_peak(const Series& series, const Series& peak);

/// "12.5 %" for 0.125.
inline std::string percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

/// "6", "7.8", "0.03125", "1048576".
inline std::string brief(double value) {
    return std::abs(value) >= 10000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace railyard::reproduce
