#include "experiments/user/course.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "experiments/core/exchange.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

/// Bytes moved by `time`: before the course as at its first mark, after it as at its last.
double moved_by(std::span<const Mark> course, double time) {
    const auto after = std::ranges::find_if(
        course, [&](const Mark& mark) { return static_cast<double>(mark.picoseconds) > time; });
    if (after == course.begin()) return static_cast<double>(course.front().bytes);
    if (after == course.end()) return static_cast<double>(course.back().bytes);
    const Mark& from = *(after - 1);
    const double share = (time - static_cast<double>(from.picoseconds)) /
                         static_cast<double>(after->picoseconds - from.picoseconds);
    return static_cast<double>(from.bytes) + share * static_cast<double>(after->bytes - from.bytes);
}

template <class T>
void put(job::Rank& rank, const std::string& key, std::span<const T> values) {
    rank.bootstrap().put(key, std::as_bytes(values));
}

}  // namespace

Stretch stretch_of(std::span<const Mark> course) {
    if (course.size() < 2) throw Error("a rank has not said how far it came");
    return {static_cast<double>(course.front().picoseconds),
            static_cast<double>(course.back().picoseconds)};
}

Stretch common(std::span<const Stretch> stretches) {
    constexpr double forever = std::numeric_limits<double>::infinity();
    Stretch any{forever, -forever};
    Stretch all{-forever, forever};
    for (const Stretch& each : stretches) {
        any = {std::min(any.begin, each.begin), std::max(any.end, each.end)};
        all = {std::max(all.begin, each.begin), std::min(all.end, each.end)};
    }
    return all.begin < all.end ? all : any;
}

std::vector<double> moved_within(std::span<const Mark> course, const Stretch& stretch,
                                 unsigned parts) {
    const auto border = [&](unsigned i) {
        // The end itself, not what rounding makes of it.
        return i == parts ? stretch.end : stretch.begin + i * (stretch.end - stretch.begin) / parts;
    };
    std::vector<double> moved;
    for (unsigned i = 0; i < parts; ++i)
        moved.push_back(moved_by(course, border(i + 1)) - moved_by(course, border(i)));
    return moved;
}

Course::Course(job::Rank& rank) : rank_(rank) {
    rank.bootstrap().fence();
    begin_ = rank.host().now();
}

void Course::mark(Bytes moved) {
    marks_.push_back({(rank_.host().now() - begin_).picoseconds(), moved.count()});
}

std::vector<double> Course::rates_of_all(const std::string& key, std::span<const int> ranks,
                                         unsigned parts) const {
    // Marks may be many, and the bootstrap has little room: what is exchanged is the stretch, and
    // then what each has moved in the common one.
    const bool took_part = std::ranges::find(ranks, rank_.id()) != ranks.end();
    if (took_part) {
        const Stretch mine = stretch_of(marks_);
        put(rank_, key, std::span(&mine, 1));
    }
    std::vector<Stretch> stretches;
    for (const int rank : ranks)
        stretches.push_back(values_of<Stretch>(rank_, rank, key).at(0));
    const Stretch together = common(stretches);
    if (took_part) {
        const auto mine = moved_within(marks_, together, parts);
        put(rank_, key + "/moved", std::span<const double>(mine));
    }
    if (rank_.id() != 0) return {};
    std::vector<double> rates(parts, 0);
    const double microseconds = (together.end - together.begin) * 1e-6 / parts;
    for (const int rank : ranks) {
        const auto moved = values_of<double>(rank_, rank, key + "/moved");
        for (unsigned i = 0; i < parts; ++i)
            rates[i] += moved.at(i) / microseconds;  // bytes a microsecond are MB a second
    }
    // Ranks that share a core may all have stood still for a whole part: then only the whole
    // counts.
    if (std::ranges::find(rates, 0.0) != rates.end())
        return {std::accumulate(rates.begin(), rates.end(), 0.0) / parts};
    return rates;
}

}  // namespace railyard::experiments
