#pragma once
/// What each predefined operation makes of two numbers; the first is the one that came in.

#include <type_traits>

namespace railyard::mpi {

/// Integers wrap around, so that sums of signed ones are calculated with unsigned ones, at least
/// as wide as int: narrower ones would be widened to a signed int again.
template <class T>
constexpr auto widened(T value) {
    if constexpr (!std::is_integral_v<T>)
        return value;
    else if constexpr (sizeof(T) < sizeof(unsigned))
        return static_cast<unsigned>(value);
    else
        return static_cast<std::make_unsigned_t<T>>(value);
}

struct Max {
    template <class T>
    static T combine(T a, T b) {
        return a > b ? a : b;
    }
};
struct Min {
    template <class T>
    static T combine(T a, T b) {
        return a < b ? a : b;
    }
};
struct Sum {
    template <class T>
    static T combine(T a, T b) {
        return static_cast<T>(widened(a) + widened(b));
    }
};
struct Prod {
    template <class T>
    static T combine(T a, T b) {
        return static_cast<T>(widened(a) * widened(b));
    }
};
struct LogicalAnd {
    template <class T>
    static T combine(T a, T b) {
        return static_cast<T>((a != 0) & (b != 0));
    }
};
struct LogicalOr {
    template <class T>
    static T combine(T a, T b) {
        return static_cast<T>((a != 0) | (b != 0));
    }
};
struct LogicalXor {
    template <class T>
    static T combine(T a, T b) {
        return static_cast<T>((a != 0) != (b != 0));
    }
};
struct BitAnd {
    template <class T>
    static T combine(T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct BitOr {
    template <class T>
    static T combine(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct BitXor {
    template <class T>
    static T combine(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};

/// Not std::complex, whose product looks for infinities and takes ten times as long.
template <class T>
struct Complex {
    T real;
    T imaginary;
};
struct ComplexSum {
    template <class T>
    static Complex<T> combine(Complex<T> a, Complex<T> b) {
        return {a.real + b.real, a.imaginary + b.imaginary};
    }
};
struct ComplexProd {
    template <class T>
    static Complex<T> combine(Complex<T> a, Complex<T> b) {
        return {a.real * b.real - a.imaginary * b.imaginary,
                a.real * b.imaginary + a.imaginary * b.real};
    }
};

}  // namespace railyard::mpi
