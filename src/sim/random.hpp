#pragma once
/// Random numbers that are the same on every machine and with every library: xoshiro256**, started
/// by splitmix64. Each part that wants some makes its own stream of the engine's seed, so that what
/// one draws does not depend on what others draw (Engine::random).

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace railyard::sim {

class Random {
  public:
    explicit constexpr Random(std::uint64_t seed, std::uint64_t stream = 0) {
        // The stream's number is mixed on its own: neighbouring seeds and streams do not meet.
        std::uint64_t state = seed ^ mix(stream);
        for (std::uint64_t& word : state_)
            word = mix(state += golden);
    }

    // What the standard library asks of a generator. Its distributions differ from one library to
    // the next: for whatever shows in results, use those below.
    using result_type = std::uint64_t;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
    constexpr result_type operator()() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// One of 0 … n - 1, each as likely as the others; n is not 0.
    constexpr std::uint64_t below(std::uint64_t n) {
        // The lowest 2^64 mod n values are one too many for some remainders.
        const std::uint64_t surplus = (0 - n) % n;
        for (;;)
            if (const std::uint64_t value = (*this)(); value >= surplus) return value % n;
    }
    /// From 0 up to but not including 1, in steps of 2^-53.
    constexpr double fraction() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
    /// Exponentially distributed, of mean 1, by von Neumann's way: comparisons and one sum, no
    /// logarithm, and so the same on every machine.
    constexpr double exponential() {
        for (double whole = 0;; ++whole) {
            const double first = fraction();
            bool odd = true;
            double last = first;
            for (double next = fraction(); next < last; next = fraction()) {
                last = next;
                odd = !odd;
            }
            if (odd) return whole + first;
        }
    }

  private:
    static constexpr std::uint64_t golden = 0x9e37'79b9'7f4a'7c15;

    static constexpr std::uint64_t mix(std::uint64_t x) {
        x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9;
        x = (x ^ x >> 27) * 0x94d0'49bb'1331'11eb;
        return x ^ x >> 31;
    }

    std::array<std::uint64_t, 4> state_{};
};

}  // namespace railyard::sim
