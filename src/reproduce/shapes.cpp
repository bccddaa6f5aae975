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

/// Of a finding that is nothing but a margin above 0.
Finding by(double margin, std::string numbers) {
    return {margin > 0, std::move(numbers), margin};
}

double rise(const Points& points) {
    return points.back().y - points.front().y;
}

}  // namespace

std::optional<double> lesser(std::optional<double> a, std::optional<double> b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

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
            fmt::format("{} to {}: {}", brief(least->y), brief(most->y), percent(spread)),
            choice::flat - spread};
}

Finding never_drops(const Points& points) {
    if (points.size() < 2) return too_few;
    Point highest = points.front();
    double margin = choice::flat;
    for (const Point& point : points) {
        margin = std::min(margin, point.y / highest.y - (1 - choice::flat));
        if (margin < 0) return {false, fmt::format("{}, then {}", at(highest), at(point)), margin};
        if (point.y > highest.y) highest = point;
    }
    return {true, fmt::format("{} to {}", at(points.front()), at(points.back())), margin};
}

Finding slight(const Points& points) {
    if (points.size() < 2) return too_few;
    const double by = change(points);
    return {by < choice::alike,
            fmt::format("{} to {}: {}", at(points.front()), at(points.back()), percent(by)),
            choice::alike - by};
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
    double margin = sign * rise(points) < 0 ? -change(points) : change(points);
    for (std::size_t i = 1; i < points.size(); ++i) {
        const double step = sign * (points[i].y - points[i - 1].y);
        if (step >= -choice::against_trend * std::abs(points[i - 1].y)) continue;
        numbers += fmt::format("; but {}, then {}", at(points[i - 1]), at(points[i]));
        margin = std::min(margin, step / std::abs(points[i - 1].y));
        holds = false;
    }
    const auto limit = [&](double slack) {
        holds &= slack >= 0;
        margin = std::min(margin, slack);
    };
    if (strength == "strong") limit(change(points) - choice::strong);
    if (strength == "medium")
        limit(std::min(change(points) - choice::alike, choice::strong - change(points)));
    if (strength == "weak") limit(choice::alike - change(points));
    return {holds, numbers, margin};
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
    std::optional<double> margin;
    for (const Point* point = corner + 1; point != points.data() + points.size(); ++point) {
        const double loss = sign * (corner->y - point->y) / std::abs(corner->y);
        margin = lesser(margin, loss - choice::knee);
        if (*margin <= 0)
            return {false, fmt::format("{}, and still {}", at(*corner), at(*point)), margin};
    }
    return {true,
            fmt::format("{}, then {} … {}", at(*corner), at(*(corner + 1)), at(points.back())),
            margin};
}

Finding valley(const Points& points, double where) {
    if (points.size() < 3) return too_few;
    const auto least = std::ranges::min_element(points, lower);
    const std::string numbers =
        fmt::format("{}, {}, {}", at(points.front()), at(*least), at(points.back()));
    const double floor = least->y * (1 + choice::noise);
    const bool holds = least->x == where && points.front().y > floor && points.back().y > floor;
    return {holds, numbers, std::min(points.front().y, points.back().y) / least->y - 1};
}

Finding dip(const Points& points, std::optional<std::pair<double, double>> range) {
    if (points.size() < 3) return too_few;
    Point highest = points.front();
    for (auto point = points.begin(); point != points.end(); ++point) {
        const bool here = !range || (point->x >= range->first && point->x <= range->second);
        const auto recovers = [&](const Point& later) { return later.y > point->y; };
        if (here && point->y < highest.y * (1 - choice::dip) &&
            std::any_of(point, points.end(), recovers))
            return by(1 - point->y / highest.y - choice::dip,
                      fmt::format("{}, then {}", at(highest), at(*point)));
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
        out = by(std::max(step.least - step.here, step.here - step.most) - choice::jump,
                 step.numbers);
        if (out.holds) break;
    }
    return out;
}

Finding no_jump(const Points& points, const Crossing& crossing) {
    Finding out = too_few;
    for (const Step& step : steps(points, crossing)) {
        const double slack = choice::jump - std::max(step.here - step.most, step.least - step.here);
        out = {slack >= 0, step.numbers, slack};
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
            fmt::format("{}, then at most {}", at(*last), at(*highest)),
            1 + choice::alike - highest->y / last->y};
}

Finding above(const Points& points, double value) {
    if (points.empty()) return too_few;
    const auto [least, most] = std::ranges::minmax_element(points, lower);
    return by(least->y / value - 1, fmt::format("{} to {}", brief(least->y), brief(most->y)));
}

Finding near(const Points& points, double value) {
    if (points.empty()) return too_few;
    const auto [least, most] = std::ranges::minmax_element(points, lower);
    const double furthest = std::max(value - least->y, most->y - value) / value;
    return {furthest <= choice::alike,
            points.size() == 1 ? brief(least->y)
                               : fmt::format("{} to {}", brief(least->y), brief(most->y)),
            choice::alike - furthest};
}

}  // namespace railyard::reproduce
