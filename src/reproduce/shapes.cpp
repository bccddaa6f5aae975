/// The shapes of one curve.

#include "reproduce/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "railyard/base/error.hpp"
#include "reproduce/choices.hpp"

namespace railyard::reproduce {

namespace {

const Finding too_few{.holds = false, .numbers = "too few points"};

std::string at(const Point& point) {
    return fmt::format("{} at {}", brief(point.y), brief(point.x));
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

bool lower(const Point& a, const Point& b) {
    return a.y < b.y;
}

/// The relative change between two neighbours, and what the curve does anyway on either side.
struct Step {
    double here = 0;
    double least = 0, most = 0;
    std::string numbers{};
};

/// Those that cross the place, if there is a step on either side.
std::vector<Step> steps(const Points& points, const Crossing& crossing) {
    const auto step = [&](std::size_t i) { return points[i].y / points[i - 1].y - 1; };
    std::vector<Step> out;
    for (std::size_t i = 2; i + 1 < points.size(); ++i)
        if (crossing(points[i - 1].x, points[i].x))
            out.push_back({step(i), std::min(step(i - 1), step(i + 1)),
                           std::max(step(i - 1), step(i + 1)),
                           fmt::format("{}, then {}; {} between neighbours", at(points[i - 1]),
                                       at(points[i]), percent(step(i)))});
    return out;
}

double rise(const Points& points) {
    return points.back().y - points.front().y;
}

}  // namespace

Better better_named(std::string_view word) {
    if (word == "lower") return Better::lower;
    if (word == "higher") return Better::higher;
    throw Error(fmt::format("better: expected lower or higher, found '{}'", word));
}

Finding flat(const Points& points) {
    if (points.size() < 2) return too_few;
    const auto [least, most] = std::ranges::minmax_element(points, lower);
    const double spread = (most->y - least->y) / most->y;
    return {spread <= choice::flat,
            fmt::format("{} to {}: {}", brief(least->y), brief(most->y), percent(spread))};
}

Finding never_drops(const Points& points) {
    if (points.size() < 2) return too_few;
    Point highest = points.front();
    for (const Point& point : points) {
        if (point.y < highest.y * (1 - choice::flat))
            return {false, fmt::format("{}, then {}", at(highest), at(point))};
        if (point.y > highest.y) highest = point;
    }
    return {true, fmt::format("{} to {}", at(points.front()), at(points.back()))};
}

Finding flat_beside(const Series& series, std::span<const Series> others) {
    if (series.points.size() < 2) return too_few;
    const double mine = rise(series.points);
    std::string numbers = fmt::format("rises by {}", brief(mine));
    bool holds = true;
    for (const Series& other : others) {
        if (other.points.size() < 2) return too_few;
        const double theirs = rise(other.points);
        holds &= mine <= choice::flat_beside * theirs;
        numbers += fmt::format(", {} by {}", other.label, brief(theirs));
    }
    return {holds || flat(series.points).holds, numbers};
}

double change(const Points& points) {
    if (points.size() < 2 || points.back().y == 0) return 0;
    return std::abs(rise(points)) / std::abs(points.back().y);
}

Finding monotone(const Points& points, Trend trend, std::string_view strength) {
    if (points.size() < 2) return too_few;
    const double sign = trend == Trend::rises ? 1 : -1;
    std::string numbers =
        fmt::format("{} to {}: {}", at(points.front()), at(points.back()), percent(change(points)));
    bool holds = sign * rise(points) > choice::noise * std::abs(points.back().y);
    for (std::size_t i = 1; i < points.size(); ++i) {
        const double step = sign * (points[i].y - points[i - 1].y);
        if (step >= -choice::against_trend * std::abs(points[i - 1].y)) continue;
        numbers += fmt::format("; but {}, then {}", at(points[i - 1]), at(points[i]));
        holds = false;
    }
    if (strength == "strong") holds &= change(points) >= choice::strong;
    if (strength == "medium") holds &= change(points) >= choice::medium;
    if (strength == "weak") holds &= change(points) < choice::strong;
    return {holds, numbers};
}

Finding knee(const Points& points, double after, Better better) {
    const double sign = better == Better::higher ? 1 : -1;
    const Point* best = nullptr;
    const Point* corner = nullptr;
    for (const Point& point : points) {
        if (point.x > after) break;
        if (best != nullptr && sign * (point.y - best->y) < -choice::knee * std::abs(best->y))
            return {false, fmt::format("{}, then already {}", at(*best), at(point))};
        if (best == nullptr || sign * (point.y - best->y) > 0) best = &point;
        corner = &point;
    }
    if (corner == nullptr || corner == &points.back()) return too_few;
    for (const Point* point = corner + 1; point != points.data() + points.size(); ++point)
        if (sign * (point->y - corner->y) >= -choice::knee * std::abs(corner->y))
            return {false, fmt::format("{}, and still {}", at(*corner), at(*point))};
    return {true,
            fmt::format("{}, then {} … {}", at(*corner), at(*(corner + 1)), at(points.back()))};
}

Finding valley(const Points& points, double where) {
    if (points.size() < 3) return too_few;
    const auto least = std::ranges::min_element(points, lower);
    const std::string numbers =
        fmt::format("{}, {}, {}", at(points.front()), at(*least), at(points.back()));
    const double floor = least->y * (1 + choice::noise);
    return {least->x == where && points.front().y > floor && points.back().y > floor, numbers};
}

Finding dip(const Points& points, std::optional<std::pair<double, double>> range) {
    if (points.size() < 3) return too_few;
    Point highest = points.front();
    for (auto point = points.begin(); point != points.end(); ++point) {
        const bool here = !range || (point->x >= range->first && point->x <= range->second);
        const auto recovers = [&](const Point& later) { return later.y > point->y; };
        if (here && point->y < highest.y * (1 - choice::dip) &&
            std::any_of(point, points.end(), recovers))
            return {true, fmt::format("{}, then {}", at(highest), at(*point))};
        if (point->y > highest.y) highest = *point;
    }
    return {false,
            fmt::format("{} to {}, and no dip between", at(points.front()), at(points.back()))};
}

double depth(const Points& points, const std::pair<double, double>& range) {
    double highest = 0;
    double out = 0;
    for (const Point& point : points) {
        if (highest > 0 && point.x >= range.first && point.x <= range.second)
            out = std::max(out, 1 - point.y / highest);
        highest = std::max(highest, point.y);
    }
    return out;
}

Finding jump(const Points& points, const Crossing& crossing) {
    Finding out = too_few;
    for (const Step& step : steps(points, crossing)) {
        if (step.here < step.least - choice::jump || step.here > step.most + choice::jump)
            return {true, step.numbers};
        out = {false, step.numbers};
    }
    return out;
}

Finding no_jump(const Points& points, const Crossing& crossing) {
    Finding out = too_few;
    for (const Step& step : steps(points, crossing)) {
        out = {step.here <= step.most + choice::jump, step.numbers};
        if (!out.holds) break;
    }
    return out;
}

Finding stays_low(const Points& points, double from) {
    const Point* last = nullptr;
    const Point* highest = nullptr;
    for (const Point& point : points) {
        if (point.x < from)
            last = &point;
        else if (highest == nullptr || point.y > highest->y)
            highest = &point;
    }
    if (last == nullptr || highest == nullptr) return too_few;
    return {highest->y <= last->y * (1 + choice::alike),
            fmt::format("{}, then at most {}", at(*last), at(*highest))};
}

Finding above(const Points& points, double value) {
    if (points.empty()) return too_few;
    const auto [least, most] = std::ranges::minmax_element(points, lower);
    return {least->y > value, fmt::format("{} to {}", brief(least->y), brief(most->y))};
}

Finding near(const Points& points, double value) {
    if (points.empty()) return too_few;
    const auto [least, most] = std::ranges::minmax_element(points, lower);
    return {least->y >= value * (1 - choice::alike) && most->y <= value * (1 + choice::alike),
            points.size() == 1 ? brief(least->y)
                               : fmt::format("{} to {}", brief(least->y), brief(most->y))};
}

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
