#pragma once
/// How long something that is promised to be quick may take in a test.

#include <algorithm>
#include <cstdlib>

namespace railyard {

/// In seconds. On a machine that is busy with other things a promise of two seconds cannot be kept,
/// so it is held to only where RAILYARD_STRICT_TIMES is set.
inline double within(double promised) {
    constexpr double on_a_busy_machine = 20;
    return std::getenv("RAILYARD_STRICT_TIMES") != nullptr ? promised
                                                           : std::max(promised, on_a_busy_machine);
}

}  // namespace railyard
