#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/report.hpp"

namespace railyard::report {

std::string short_number(double value) {
    if (value == 0) return "0";
    const double magnitude = std::floor(std::log10(std::abs(value)));
    const double decimals = magnitude < 0 ? 2 - magnitude : 3 - magnitude;
    // Picoseconds are the finest that anything here is measured in.
    return fmt::format("{:.{}f}", value, static_cast<int>(std::clamp(decimals, 0.0, 6.0)));
}

}  // namespace railyard::report
