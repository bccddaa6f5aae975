#pragma once
/// Two lines solved at once, one in each half of a vector register: the same code serves a single
/// line, with double, and a pair of lines.

#include <cstddef>
#include <cstring>
#include <utility>

namespace railyard::kernels::cfd::bt {

using Pair = double __attribute__((vector_size(2 * sizeof(double))));

template <class Lanes>
inline constexpr int width = sizeof(Lanes) / sizeof(double);

template <class Lanes>
[[gnu::always_inline]] inline Lanes splat(double value) {
    return Lanes{} + value;
}

/// Lanes that lie side by side.
template <class Lanes>
[[gnu::always_inline]] inline Lanes load(const double* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}
template <class Lanes>
[[gnu::always_inline]] inline void store(const Lanes& lanes, double* to) {
    std::memcpy(to, &lanes, sizeof lanes);
}

/// Lanes that lie `apart`.
template <class Lanes>
[[gnu::always_inline]] inline Lanes load(const double* from, std::ptrdiff_t apart) {
    if constexpr (width<Lanes> == 1)
        return *from;
    else
        return Lanes{from[0], from[apart]};
}
template <class Lanes>
[[gnu::always_inline]] inline void store(const Lanes& lanes, double* to, std::ptrdiff_t apart) {
    if constexpr (width<Lanes> == 1) {
        *to = lanes;
    } else {
        to[0] = lanes[0];
        to[apart] = lanes[1];
    }
}

/// Calls work(0) ... work(n-1), with numbers that are known when compiling: a loop that is always
/// unrolled, so that what it works on can stay in registers.
template <int n, class Work>
[[gnu::always_inline]] inline void unrolled(Work&& work) {
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        (work(std::integral_constant<int, i>{}), ...);
    }
    (std::make_integer_sequence<int, n>{});
}

}  // namespace railyard::kernels::cfd::bt
