#pragma once
/// Points and spans of time in whole picoseconds. One type for real and for virtual time: a signed
/// 64-bit count reaches 106 days either way, and integer sums are the same on every machine.

#include <compare>
#include <cstdint>
#include <limits>

namespace railyard {

class Duration {
  public:
    constexpr Duration() = default;
    static constexpr Duration ps(std::int64_t n) { return Duration(n); }
    static constexpr Duration ns(std::int64_t n) { return Duration(n * 1'000); }
    static constexpr Duration us(std::int64_t n) { return Duration(n * 1'000'000); }
    static constexpr Duration ms(std::int64_t n) { return Duration(n * 1'000'000'000); }
    static constexpr Duration s(std::int64_t n) { return Duration(n * 1'000'000'000'000); }
    /// Rounded to the nearest picosecond.
    static constexpr Duration from_seconds(double s) {
        return Duration(static_cast<std::int64_t>(s * 1e12 + (s < 0 ? -0.5 : 0.5)));
    }
    /// Longer than anything: a deadline that never comes.
    static constexpr Duration forever() {
        return Duration(std::numeric_limits<std::int64_t>::max());
    }

    constexpr std::int64_t picoseconds() const { return ps_; }
    constexpr double nanoseconds() const { return static_cast<double>(ps_) * 1e-3; }
    constexpr double microseconds() const { return static_cast<double>(ps_) * 1e-6; }
    constexpr double seconds() const { return static_cast<double>(ps_) * 1e-12; }

    friend constexpr auto operator<=>(Duration, Duration) = default;
    constexpr Duration& operator+=(Duration d) { return ps_ += d.ps_, *this; }
    constexpr Duration& operator-=(Duration d) { return ps_ -= d.ps_, *this; }
    friend constexpr Duration operator+(Duration a, Duration b) { return a += b; }
    friend constexpr Duration operator-(Duration a, Duration b) { return a -= b; }
    friend constexpr Duration operator*(Duration d, std::int64_t n) { return Duration(d.ps_ * n); }
    friend constexpr Duration operator*(std::int64_t n, Duration d) { return d * n; }
    friend constexpr Duration operator/(Duration d, std::int64_t n) { return Duration(d.ps_ / n); }
    friend constexpr double operator/(Duration a, Duration b) {
        return static_cast<double>(a.ps_) / static_cast<double>(b.ps_);
    }

  private:
    explicit constexpr Duration(std::int64_t n) : ps_(n) {}
    std::int64_t ps_ = 0;
};

/// A moment of one Host's clock. Moments of different jobs cannot be compared.
class Time {
  public:
    constexpr Time() = default;
    static constexpr Time at(Duration since_start) { return Time(since_start); }
    static constexpr Time never() { return Time(Duration::forever()); }

    constexpr Duration since_start() const { return since_start_; }

    friend constexpr auto operator<=>(Time, Time) = default;
    /// `never` plus anything is `never`.
    friend constexpr Time operator+(Time t, Duration d) {
        std::int64_t sum = 0;
        if (t == never() ||
            __builtin_add_overflow(t.since_start_.picoseconds(), d.picoseconds(), &sum))
            return never();
        return Time(Duration::ps(sum));
    }
    friend constexpr Duration operator-(Time a, Time b) { return a.since_start_ - b.since_start_; }

  private:
    explicit constexpr Time(Duration d) : since_start_(d) {}
    Duration since_start_;
};

namespace literals {
constexpr Duration operator""_ps(unsigned long long n) {
    return Duration::ps(static_cast<std::int64_t>(n));
}
constexpr Duration operator""_ns(unsigned long long n) {
    return Duration::ns(static_cast<std::int64_t>(n));
}
constexpr Duration operator""_us(unsigned long long n) {
    return Duration::us(static_cast<std::int64_t>(n));
}
constexpr Duration operator""_ms(unsigned long long n) {
    return Duration::ms(static_cast<std::int64_t>(n));
}
constexpr Duration operator""_s(unsigned long long n) {
    return Duration::s(static_cast<std::int64_t>(n));
}
constexpr Duration operator""_ns(long double n) {
    return Duration::from_seconds(static_cast<double>(n) * 1e-9);
}
constexpr Duration operator""_us(long double n) {
    return Duration::from_seconds(static_cast<double>(n) * 1e-6);
}
}  // namespace literals

}  // namespace railyard
