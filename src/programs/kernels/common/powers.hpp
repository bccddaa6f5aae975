#pragma once
/// Powers of two and square roots of whole numbers, which the grids of ranks are made of.

#include <bit>

namespace railyard::kernels {

constexpr bool is_power_of_two(int n) {
    return n > 0 && std::has_single_bit(static_cast<unsigned>(n));
}

/// Rounded down.
constexpr int log2_of(int n) {
    return std::bit_width(static_cast<unsigned>(n)) - 1;
}

/// Rounded down.
constexpr int square_root_of(int n) {
    int root = 0;
    while ((root + 1) * (root + 1) <= n)
        ++root;
    return root;
}

}  // namespace railyard::kernels
