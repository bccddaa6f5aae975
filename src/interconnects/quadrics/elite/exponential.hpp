#pragma once
/// Waiting times of what happens at random, by von Neumann's way: comparisons and one sum, no
/// logarithm, and so the same on every machine.

#include "sim/random.hpp"

namespace railyard::elite {

/// Of mean 1.
inline double exponential(sim::Random& random) {
    for (double whole = 0;; ++whole) {
        const double first = random.fraction();
        bool odd = true;
        double last = first;
        for (double next = random.fraction(); next < last; next = random.fraction()) {
            last = next;
            odd = !odd;
        }
        if (odd) return whole + first;
    }
}

}  // namespace railyard::elite
