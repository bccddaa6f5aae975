#pragma once
/// How fast bytes move, in whole bytes per second. Whole, so that the time a transfer takes in a
/// model is integer arithmetic and the same on every machine.

#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>

#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"

namespace railyard {

class Rate {
  public:
    constexpr Rate() = default;
    /// Rounded to the nearest whole number; below 0 is 0.
    static constexpr Rate bytes_per_second(double n) {
        if (!(n > 0)) return Rate(0);
        if (n >= 0x1p64) return fastest();
        const auto whole = static_cast<std::uint64_t>(n);
        // From 2^53 on there is no fraction left to round.
        return Rate(whole + (n - static_cast<double>(whole) >= 0.5 ? 1 : 0));
    }
    /// Exact.
    static constexpr Rate bytes_per_second(std::unsigned_integral auto n) { return Rate(n); }
    static constexpr Rate bytes_per_second(std::signed_integral auto n) {
        return Rate(n < 0 ? 0 : static_cast<std::uint64_t>(n));
    }
    static constexpr Rate fastest() { return Rate(std::numeric_limits<std::uint64_t>::max()); }

    constexpr std::uint64_t bytes_per_second() const { return count_; }
    constexpr double megabytes_per_second() const { return static_cast<double>(count_) * 1e-6; }

    friend constexpr auto operator<=>(Rate, Rate) = default;
    friend constexpr double operator/(Rate a, Rate b) {
        return static_cast<double>(a.count_) / static_cast<double>(b.count_);
    }
    friend constexpr Duration operator/(Bytes moved, Rate rate);
    friend constexpr Rate operator/(Bytes moved, Duration time);

  private:
    explicit constexpr Rate(std::uint64_t n) : count_(n) {}

    // A byte count times the picoseconds of a second needs 104 bits.
    __extension__ using Wide = unsigned __int128;
    static constexpr Wide rounded(Wide numerator, Wide denominator) {
        return (numerator + denominator / 2) / denominator;
    }
    static constexpr std::uint64_t ps_per_second = 1'000'000'000'000;

    std::uint64_t count_ = 0;
};

/// How long it takes, to the nearest picosecond, halves up. `forever` where that cannot be counted,
/// as at a rate of 0; nothing takes no time at any rate.
constexpr Duration operator/(Bytes moved, Rate rate) {
    if (moved.count() == 0) return Duration();
    if (rate.count_ == 0) return Duration::forever();
    // Most transfers are short enough for 64 bits, which divide ten times as fast.
    constexpr std::uint64_t narrow = std::uint64_t{1} << 23;
    if (moved.count() < narrow && rate.count_ < std::uint64_t{1} << 63) {
        const std::uint64_t whole = moved.count() * Rate::ps_per_second;
        return Duration::ps(static_cast<std::int64_t>((whole + rate.count_ / 2) / rate.count_));
    }
    const Rate::Wide ps =
        Rate::rounded(Rate::Wide{moved.count()} * Rate::ps_per_second, rate.count_);
    if (ps > static_cast<std::uint64_t>(Duration::forever().picoseconds()))
        return Duration::forever();
    return Duration::ps(static_cast<std::int64_t>(ps));
}

/// How fast it went, to the nearest byte per second. `fastest` for a transfer that took no time.
constexpr Rate operator/(Bytes moved, Duration time) {
    if (moved.count() == 0) return Rate();
    if (time <= Duration()) return Rate::fastest();
    const Rate::Wide rate = Rate::rounded(Rate::Wide{moved.count()} * Rate::ps_per_second,
                                          static_cast<std::uint64_t>(time.picoseconds()));
    if (rate > Rate::fastest().count_) return Rate::fastest();
    return Rate(static_cast<std::uint64_t>(rate));
}

namespace literals {
constexpr Rate operator""_MBps(unsigned long long n) {
    return Rate::bytes_per_second(n * 1'000'000);
}
constexpr Rate operator""_GBps(unsigned long long n) {
    return Rate::bytes_per_second(n * 1'000'000'000);
}
constexpr Rate operator""_MBps(long double n) {
    return Rate::bytes_per_second(static_cast<double>(n * 1e6L));
}
constexpr Rate operator""_GBps(long double n) {
    return Rate::bytes_per_second(static_cast<double>(n * 1e9L));
}
}  // namespace literals

}  // namespace railyard
