#pragma once
/// Numbers inside sentences, with four digits at most and no zeros to fill up.

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace railyard::reproduce {

/// "6", "7.8", "0.03125", "1048576".
inline std::string brief(double value) {
    return std::abs(value) >= 10000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace railyard::reproduce
