/// The shapes of one curve.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "railyard/base/error.hpp"
#include "reproduce/choices.hpp"
#include "reproduce/shapes.hpp"

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

}  // namespace railyard::reproduce
