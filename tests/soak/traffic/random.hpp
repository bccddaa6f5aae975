#pragma once
/// Numbers that follow from a seed alone, so that every rank draws the same plan.

#include <cstddef>
#include <cstdint>
#include <span>

namespace railyard::soak {

/// The finaliser of splitmix64: neighbours in, strangers out.
constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    return mix(mix(a) ^ (b * 0xD6E8FEB86659FD93));
}

class Draw {
  public:
    explicit Draw(std::uint64_t seed) : state_(mix(seed)) {}

    std::uint64_t next() { return mix(state_++); }
    /// From 0 to n - 1.
    int below(int n) {
        return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
    }
    int from_to(int least, int most) { return least + below(most - least + 1); }
    bool one_in(int n) { return below(n) == 0; }
    template <class T>
    T pick(std::span<const T> all) {
        return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
    }
    /// Brings `items` into an order of chance.
    template <class Items>
    void shuffle(Items& items) {
        for (std::size_t i = items.size(); i > 1; --i) {
            const auto other = static_cast<std::size_t>(below(static_cast<int>(i)));
            using std::swap;
            swap(items[i - 1], items[other]);
        }
    }

  private:
    std::uint64_t state_;
};

}  // namespace railyard::soak
