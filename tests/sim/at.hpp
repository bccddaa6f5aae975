#pragma once
/// Points of virtual time, for tests.

#include "railyard/base/time.hpp"

namespace railyard::sim {

inline Time at_ps(std::int64_t ps) {
    return Time::at(Duration::ps(ps));
}

}  // namespace railyard::sim
