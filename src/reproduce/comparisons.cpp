/// Curves beside each other.

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
    for (std::size_t g = 1; g < groups.size(); ++g)
        for (const Series& a : groups[g - 1])
            for (const Series& b : groups[g]) {
                if (!comparable(a, b)) return not_comparable;
                for (std::size_t i = 0; i < a.points.size(); ++i)
                    if (!is_better(a.points[i].y, b.points[i].y, better))
                        return {false, fmt::format("{}, but {}", label(a, i), label(b, i))};
            }
    return {true, ends(joined(groups))};
}

Finding best(std::span<const Series> ours, std::span<const Series> others, Better better) {
    if (ours.empty() || others.empty()) return {false, "nothing to compare"};
    for (const Series& other : others) {
        for (std::size_t i = 0; i < other.points.size(); ++i) {
            bool beaten = false;
            for (const Series& mine : ours) {
                if (!comparable(mine, other)) return not_comparable;
                beaten |= is_better(mine.points[i].y, other.points[i].y, better);
            }
            if (!beaten)
                return {false, fmt::format("{}, but {}", label(ours.front(), i), label(other, i))};
        }
    }
    return {true, fmt::format("{}; {}", ends(ours), ends(others))};
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
    bool somewhere = false;
    for (std::size_t i = 0; i < lhs.points.size(); ++i) {
        const double a = lhs.points[i].y;
        const double b = rhs.points[i].y;
        const bool good = comparison == Comparison::alike
                              ? std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b))
                              : (everywhere ? is_better(a, b, better) : !is_better(b, a, better));
        if (!good) return {false, fmt::format("{}, but {}", label(lhs, i), label(rhs, i))};
        somewhere |= comparison == Comparison::alike || is_better(a, b, better);
    }
    return {somewhere, ends(std::vector<Series>{lhs, rhs})};
}

Finding ratio(const Series& lhs, const Series& rhs, double value) {
    if (!comparable(lhs, rhs)) return not_comparable;
    bool holds = true;
    std::string numbers;
    for (std::size_t i = 0; i < lhs.points.size(); ++i) {
        const double found = lhs.points[i].y / rhs.points[i].y;
        holds &= std::abs(found - value) <= choice::alike * value;
        numbers += fmt::format("{}{}, {}: factor {:.3g}", numbers.empty() ? "" : "; ",
                               label(lhs, i), label(rhs, i), found);
    }
    return {holds, numbers};
}

Finding within(std::span<const Series> all, double low, double high) {
    bool holds = !all.empty();
    for (const Series& series : all) {
        holds &= !series.points.empty();
        for (const Point& point : series.points)
            // The paper rounds to whole numbers, and so is ours read.
            holds &= std::round(point.y) >= low && std::round(point.y) <= high;
    }
    return {holds, ends(all)};
}

Finding slope_order(std::span<const Series> all) {
    bool holds = all.size() >= 2;
    std::string numbers;
    double before = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].points.size() < 2) return {false, "too few points"};
        const double mine = slope(all[i].points);
        if (i > 0) holds &= is_better(mine, before, Better::higher);
        numbers += fmt::format("{}{} {:.3g}", i == 0 ? "slopes: " : ", ", all[i].label, mine);
        before = mine;
    }
    return {holds, numbers};
}

Finding reaches_peak(const Series& series, const Series& peak) {
    if (!comparable(series, peak)) return not_comparable;
    bool holds = true;
    for (std::size_t i = 0; i < series.points.size(); ++i)
        holds &= series.points[i].y >= peak.points[i].y * (1 - choice::peak);
    return {holds, ends(std::vector<Series>{series, peak})};
}

}  // namespace railyard::reproduce
