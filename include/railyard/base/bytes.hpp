#pragma once
/// A number of bytes: a length, an offset or a message size.

#include <compare>
#include <cstddef>
#include <cstdint>

namespace railyard {

class Bytes {
  public:
    constexpr Bytes() = default;
    explicit constexpr Bytes(std::uint64_t n) : count_(n) {}

    constexpr std::uint64_t count() const { return count_; }

    friend constexpr auto operator<=>(Bytes, Bytes) = default;
    constexpr Bytes& operator+=(Bytes b) { return count_ += b.count_, *this; }
    constexpr Bytes& operator-=(Bytes b) { return count_ -= b.count_, *this; }
    friend constexpr Bytes operator+(Bytes a, Bytes b) { return a += b; }
    friend constexpr Bytes operator-(Bytes a, Bytes b) { return a -= b; }
    friend constexpr Bytes operator*(Bytes b, std::uint64_t n) { return Bytes(b.count_ * n); }
    friend constexpr Bytes operator*(std::uint64_t n, Bytes b) { return b * n; }
    friend constexpr Bytes operator/(Bytes b, std::uint64_t n) { return Bytes(b.count_ / n); }
    friend constexpr std::uint64_t operator/(Bytes a, Bytes b) { return a.count_ / b.count_; }

  private:
    std::uint64_t count_ = 0;
};

namespace literals {
constexpr Bytes operator""_B(unsigned long long n) {
    return Bytes(n);
}
constexpr Bytes operator""_KiB(unsigned long long n) {
    return Bytes(n << 10);
}
constexpr Bytes operator""_MiB(unsigned long long n) {
    return Bytes(n << 20);
}
constexpr Bytes operator""_GiB(unsigned long long n) {
    return Bytes(n << 30);
}
}  // namespace literals

}  // namespace railyard
