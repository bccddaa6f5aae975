#include "report/change.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace railyard::report {

namespace {

using results::Row;

double half_of_middle(const Row& row) {
    return row.statistics.spread * std::abs(row.statistics.p50) / 2;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::ranges::find(words, word) != words.end();
}

}  // namespace

Better better(const Row& row) {
    namespace unit = results::unit;
    namespace metric = results::metric;
    constexpr std::array less{unit::microseconds, unit::vis, unit::bytes};
    constexpr std::array more{unit::megabytes_per_second, unit::messages_per_second};
    // How much slower something becomes; and what use is made of what was paid for.
    constexpr std::array<std::string_view, 2> slowdowns{"latency_ratio_noreuse_to_reuse",
                                                        "latency_ratio_full_to_empty"};
    constexpr std::array uses{metric::cpu_share_before_bandwidth_drop,
                              metric::resource_utilization};
    if (is_one_of(row.unit, less) || is_one_of(row.metric, slowdowns)) return Better::lower;
    if (is_one_of(row.unit, more) || is_one_of(row.metric, uses)) return Better::higher;
    return Better::neither;
}

Change change(const Row& before, const Row& after) {
    const double difference = after.value - before.value;
    const double scatter = half_of_middle(before) + half_of_middle(after);
    const double least = least_difference * std::max(std::abs(before.value), std::abs(after.value));
    if (std::abs(difference) <= std::max(scatter, least)) return Change::none;
    const Better wanted = better(after);
    if (wanted == Better::neither) return Change::differs;
    return (difference < 0) == (wanted == Better::lower) ? Change::better : Change::worse;
}

double relative_difference(const Row& before, const Row& after) {
    const double difference = std::abs(after.value - before.value);
    if (difference == 0) return 0;
    if (before.value == 0) return std::numeric_limits<double>::infinity();
    return difference / std::abs(before.value);
}

const char* name(Change change) {
    switch (change) {
        case Change::none:
            return "";
        case Change::better:
            return "better";
        case Change::worse:
            return "worse";
        case Change::differs:
            return "differs";
    }
    return "";
}

}  // namespace railyard::report
