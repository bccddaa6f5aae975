#pragma once
/// The random numbers of the benchmarks: x becomes 5^13 x mod 2^46, and 2^-46 x is the number.
/// Ranks jump ahead to their part of the one sequence, so the data do not depend on their number.

#include <bit>
#include <cstdint>

namespace railyard::kernels {

class Random {
  public:
    static constexpr std::uint64_t multiplier = 1220703125;
    static constexpr std::uint64_t usual_seed = 314159265;

    /// `skipped` numbers of the sequence come before the first that is drawn.
    explicit constexpr Random(std::uint64_t seed, std::uint64_t skipped = 0) : state_(seed) {
        skip(skipped);
    }

    /// Between 0 and 1.
    constexpr double next() {
        state_ = times(state_, multiplier);
        return static_cast<double>(state_) * 0x1p-46;
    }
    constexpr void skip(std::uint64_t numbers) { state_ = times(state_, power(numbers)); }
    constexpr std::uint64_t state() const { return state_; }

  private:
    // A product of 64 bits keeps its low 46, whatever overflows.
    static constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) {
        return (a * b) & ((std::uint64_t{1} << 46) - 1);
    }
    static constexpr std::uint64_t power(std::uint64_t exponent) {
        std::uint64_t result = 1;
        for (std::uint64_t base = multiplier; exponent != 0; exponent >>= 1) {
            if ((exponent & 1) != 0) result = times(result, base);
            base = times(base, base);
        }
        return result;
    }

    std::uint64_t state_;
};

/// Powers of two and square roots of whole numbers, which the grids of ranks are made of.
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
