/// Several curves side by side.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "railyard/base/error.hpp"
#include "reproduce/choices.hpp"
#include "reproduce/shapes.hpp"

namespace railyard::reproduce {

namespace {

bool comparable(const Series& a, const Series& b) {
    const auto x = [](const Point& p, const Point& q) { return p.x == q.x; };
    return !a.points.empty() && std::ranges::equal(a.points, b.points, x);
}

const Finding not_comparable{.holds = false, .numbers = "not measured at the same places"};

/// By more than noise.
bool is_better(double a, double b, Better better) {
    const double margin = choice::noise * std::max(std::abs(a), std::abs(b));
    return better == Better::lower ? a < b - margin : a > b + margin;
}

/// By what share of the lesser one `a` is better; below 0 if it is worse.
double lead(double a, double b, Better better) {
    const double ahead = better == Better::lower ? b - a : a - b;
    const double lesser = std::min(std::abs(a), std::abs(b));
    if (lesser == 0) return ahead == 0 ? 0 : std::copysign(1.0, ahead);
    return ahead / lesser;
}

std::string label(const Series& series, std::size_t i) {
    const std::string place =
        series.points.size() == 1 ? "" : fmt::format(" at {}", brief(series.points[i].x));
    return fmt::format("{} {}{}", series.label, brief(series.points[i].y), place);
}

/// "rdma_write 6, send_recv 7.8"; of longer series both ends.
std::string ends(std::span<const Series> all) {
    std::string out;
    for (const Series& series : all) {
        const auto& p = series.points;
        if (p.empty()) continue;
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", series.label, brief(p.front().y));
        if (p.size() > 1) out += fmt::format(" … {}", brief(p.back().y));
    }
    return out;
}

std::vector<Series> joined(std::span<const std::vector<Series>> groups) {
    std::vector<Series> all;
    for (const auto& group : groups)
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

double slope(const Points& points) {
    double x = 0, y = 0, xx = 0, xy = 0;
    for (const Point& point : points) {
        x += point.x;
        y += point.y;
        xx += point.x * point.x;
        xy += point.x * point.y;
    }
    const auto n = static_cast<double>(points.size());
    return (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace

Finding order(std::span<const std::vector<Series>> groups, Better better) {
    if (groups.size() < 2) return {false, "nothing to put in order"};
    std::optional<double> margin;
    for (std::size_t g = 1; g < groups.size(); ++g)
        for (const Series& a : groups[g - 1])
            for (const Series& b : groups[g]) {
                if (!comparable(a, b)) return not_comparable;
                for (std::size_t i = 0; i < a.points.size(); ++i) {
                    margin = lesser(margin, lead(a.points[i].y, b.points[i].y, better));
                    if (!is_better(a.points[i].y, b.points[i].y, better))
                        return {false, fmt::format("{}, but {}", label(a, i), label(b, i)), margin};
                }
            }
    return {true, ends(joined(groups)), margin};
}

Finding best(std::span<const Series> ours, std::span<const Series> others, Better better) {
    if (ours.empty() || others.empty()) return {false, "nothing to compare"};
    std::optional<double> margin;
    for (const Series& other : others) {
        for (std::size_t i = 0; i < other.points.size(); ++i) {
            bool beaten = false;
            double by = lead(ours.front().points[i].y, other.points[i].y, better);
            for (const Series& mine : ours) {
                if (!comparable(mine, other)) return not_comparable;
                beaten |= is_better(mine.points[i].y, other.points[i].y, better);
                by = std::max(by, lead(mine.points[i].y, other.points[i].y, better));
            }
            margin = lesser(margin, by);
            if (!beaten)
                return {false, fmt::format("{}, but {}", label(ours.front(), i), label(other, i)),
                        margin};
        }
    }
    return {true, fmt::format("{}; {}", ends(ours), ends(others)), margin};
}

Comparison comparison_named(std::string_view word) {
    if (word == "<") return Comparison::less;
    if (word == ">") return Comparison::greater;
    if (word == "~") return Comparison::alike;
    throw Error(fmt::format("op: expected <, > or ~, found '{}'", word));
}

Finding compare(const Series& lhs, Comparison comparison, const Series& rhs, bool everywhere,
                double tolerance) {
    if (!comparable(lhs, rhs)) return not_comparable;
    const Better better = comparison == Comparison::less ? Better::lower : Better::higher;
    const bool alike = comparison == Comparison::alike;
    bool somewhere = alike;
    // What must be so at each place is as good as the worst; what must be so somewhere, as the
    // best.
    std::optional<double> margin;
    for (std::size_t i = 0; i < lhs.points.size(); ++i) {
        const double a = lhs.points[i].y;
        const double b = rhs.points[i].y;
        const double apart = std::abs(a - b);
        const double most = std::max(std::abs(a), std::abs(b));
        const double here = alike ? tolerance - (most > 0 ? apart / most : 0) : lead(a, b, better);
        const bool good = alike ? apart <= tolerance * most
                                : (everywhere ? is_better(a, b, better) : !is_better(b, a, better));
        if (!good) return {false, fmt::format("{}, but {}", label(lhs, i), label(rhs, i)), here};
        margin = alike || everywhere ? lesser(margin, here) : std::max(margin.value_or(here), here);
        somewhere |= is_better(a, b, better);
    }
    return {somewhere, ends(std::vector<Series>{lhs, rhs}), margin};
}

Finding ratio(const Series& lhs, const Series& rhs, double value) {
    if (!comparable(lhs, rhs)) return not_comparable;
    bool holds = true;
    std::string numbers;
    std::optional<double> margin;
    for (std::size_t i = 0; i < lhs.points.size(); ++i) {
        const double found = lhs.points[i].y / rhs.points[i].y;
        holds &= std::abs(found - value) <= choice::alike * value;
        margin = lesser(margin, choice::alike - std::abs(found - value) / value);
        numbers += fmt::format("{}{}, {}: factor {:.3g}", numbers.empty() ? "" : "; ",
                               label(lhs, i), label(rhs, i), found);
    }
    return {holds, numbers, margin};
}

Finding within(std::span<const Series> all, double low, double high) {
    bool holds = !all.empty();
    std::optional<double> margin;
    for (const Series& series : all) {
        holds &= !series.points.empty();
        for (const Point& point : series.points) {
            // The paper rounds to whole numbers, and so is ours read.
            const double ours = std::round(point.y);
            holds &= ours >= low && ours <= high;
            margin = lesser(margin, std::min(ours - low, high - ours) / std::abs(high));
        }
    }
    return {holds, ends(all), margin};
}

Finding slope_order(std::span<const Series> all) {
    bool holds = all.size() >= 2;
    std::string numbers;
    std::optional<double> margin;
    double before = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].points.size() < 2) return {false, "too few points"};
        const double mine = slope(all[i].points);
        if (i > 0) {
            holds &= is_better(mine, before, Better::higher);
            margin = lesser(margin, lead(mine, before, Better::higher));
        }
        numbers += fmt::format("{}{} {:.3g}", i == 0 ? "slopes: " : ", ", all[i].label, mine);
        before = mine;
    }
    return {holds, numbers, margin};
}

Finding reaches_peak(const Series& series, const Series& peak) {
    if (!comparable(series, peak)) return not_comparable;
    bool holds = true;
    std::optional<double> margin;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
        holds &= series.points[i].y >= peak.points[i].y * (1 - choice::peak);
        margin = lesser(margin, series.points[i].y / peak.points[i].y - (1 - choice::peak));
    }
    return {holds, ends(std::vector<Series>{series, peak}), margin};
}

}  // namespace railyard::reproduce
