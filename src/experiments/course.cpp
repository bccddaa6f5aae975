#include "experiments/course.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "experiments/exchange.hpp"

namespace railyard::experiments {

namespace {

/// Bytes moved by `time`; none before the course, and none after.
double moved_by(const std::vector<Mark>& course, double time) {
    const auto after = std::ranges::find_if(
        course, [&](const Mark& mark) { return static_cast<double>(mark.picoseconds) >= time; });
    if (after == course.begin()) return static_cast<double>(course.front().bytes);
    if (after == course.end()) return static_cast<double>(course.back().bytes);
    const Mark& from = *(after - 1);
    const double share = (time - static_cast<double>(from.picoseconds)) /
                         static_cast<double>(after->picoseconds - from.picoseconds);
    return static_cast<double>(from.bytes) + share * static_cast<double>(after->bytes - from.bytes);
}

struct Span {
    double begin;  // picoseconds
    double end;
};

double rate_within(std::span<const std::vector<Mark>> courses, const Span& span) {
    double bytes = 0;
    for (const std::vector<Mark>& course : courses)
        bytes += moved_by(course, span.end) - moved_by(course, span.begin);
    return bytes / ((span.end - span.begin) * 1e-6);  // bytes a microsecond are MB a second
}

}  // namespace

Course::Course(job::Rank& rank) : rank_(rank) {
    rank.bootstrap().fence();
    begin_ = rank.host().now();
}

void Course::mark(Bytes moved) {
    marks_.push_back({(rank_.host().now() - begin_).picoseconds(), moved.count()});
}

void Course::publish(std::string_view key) const {
    rank_.bootstrap().put(key, std::as_bytes(std::span(marks_)));
}

std::vector<std::vector<Mark>> collect(job::Rank& rank, std::string_view key,
                                       std::span<const int> ranks) {
    std::vector<std::vector<Mark>> courses;
    for (const int each : ranks)
        courses.push_back(values_of<Mark>(rank, each, key));
    return courses;
}

std::vector<double> common_rates(std::span<const std::vector<Mark>> courses, unsigned parts) {
    Span all{std::numeric_limits<double>::infinity(), 0};
    Span common{0, std::numeric_limits<double>::infinity()};
    for (const std::vector<Mark>& course : courses) {
        if (course.size() < 2) throw Error("a rank has not said how far it came");
        const auto begin = static_cast<double>(course.front().picoseconds);
        const auto end = static_cast<double>(course.back().picoseconds);
        all = {std::min(all.begin, begin), std::max(all.end, end)};
        common = {std::max(common.begin, begin), std::min(common.end, end)};
    }
    if (common.end <= common.begin) return {rate_within(courses, all)};
    std::vector<double> rates;
    const double length = (common.end - common.begin) / parts;
    for (unsigned i = 0; i < parts; ++i)
        rates.push_back(
            rate_within(courses, {common.begin + i * length, common.begin + (i + 1) * length}));
    return rates;
}

}  // namespace railyard::experiments
