// The loops of the predefined operations, one for each kind of element.

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "mpi/types/operation.hpp"

namespace railyard::mpi {

namespace {

using Kind = Operation::Kind;

// What each operation makes of two numbers; the first is the one that came in.

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

template <class T>
T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

template <class T>
void store(std::byte* at, const T& value) {
    std::memcpy(at, &value, sizeof(T));
}

/// Loads and stores of bytes, which the compiler makes vectors of, aligned or not.
template <class T, class Op>
void each(const std::byte* in, std::byte* inout, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, in += sizeof(T), inout += sizeof(T))
        store<T>(inout, Op::combine(load<T>(in), load<T>(inout)));
}

#if defined(__x86_64__)
/// The same with vectors of 32 bytes, which not every processor has. Nothing is fused, so that the
/// results are the same bits.
template <class T, class Op>
__attribute__((target("avx2"), flatten)) void each_wide(const std::byte* in, std::byte* inout,
                                                        std::size_t count) {
    each<T, Op>(in, inout, count);
}

template <class T, class Op>
Kernel best_each() {
    return __builtin_cpu_supports("avx2") ? each_wide<T, Op> : each<T, Op>;
}
#else
template <class T, class Op>
Kernel best_each() {
    return each<T, Op>;
}
#endif

/// Of equal values the smaller index stays.
template <class Value, class Index, bool larger>
void locate(const std::byte* in, std::byte* inout, std::size_t count) {
    struct Pair {
        Value value;
        Index index;
    };
    for (std::size_t i = 0; i < count; ++i, in += sizeof(Pair), inout += sizeof(Pair)) {
        std::byte* const index = inout + offsetof(Pair, index);
        const auto a = load<Value>(in);
        const auto b = load<Value>(inout);
        const auto a_index = load<Index>(in + offsetof(Pair, index));
        if (a == b) {
            if (a_index < load<Index>(index)) store(index, a_index);
        } else if (larger ? a > b : a < b) {
            store(inout, a);
            store(index, a_index);
        }
    }
}

template <class T>
Kernel arithmetic(Kind kind) {
    switch (kind) {
        case Kind::max:
            return best_each<T, Max>();
        case Kind::min:
            return best_each<T, Min>();
        case Kind::sum:
            return best_each<T, Sum>();
        case Kind::prod:
            return best_each<T, Prod>();
        default:
            return nullptr;
    }
}

template <class T>
Kernel logical(Kind kind) {
    switch (kind) {
        case Kind::land:
            return best_each<T, LogicalAnd>();
        case Kind::lor:
            return best_each<T, LogicalOr>();
        case Kind::lxor:
            return best_each<T, LogicalXor>();
        default:
            return nullptr;
    }
}

template <class T>
Kernel bitwise(Kind kind) {
    switch (kind) {
        case Kind::band:
            return best_each<T, BitAnd>();
        case Kind::bor:
            return best_each<T, BitOr>();
        case Kind::bxor:
            return best_each<T, BitXor>();
        default:
            return nullptr;
    }
}

template <class T>
Kernel integer(Kind kind) {
    if (const Kernel kernel = arithmetic<T>(kind)) return kernel;
    using Unsigned = std::make_unsigned_t<T>;  // the sign makes no difference: half the code
    if (const Kernel kernel = bitwise<Unsigned>(kind)) return kernel;
    return logical<Unsigned>(kind);
}

template <class T>
Kernel complex(Kind kind) {
    switch (kind) {
        case Kind::sum:
            return best_each<Complex<T>, ComplexSum>();
        case Kind::prod:
            return best_each<Complex<T>, ComplexProd>();
        default:
            return nullptr;
    }
}

template <class Value, class Index>
Kernel location(Kind kind) {
    switch (kind) {
        case Kind::minloc:
            return locate<Value, Index, false>;
        case Kind::maxloc:
            return locate<Value, Index, true>;
        default:
            return nullptr;
    }
}

Kernel pair(Kind kind, Basic basic) {
    switch (basic) {
        case Basic::float_int:
            return location<float, int>(kind);
        case Basic::double_int:
            return location<double, int>(kind);
        case Basic::long_int:
            return location<long, int>(kind);
        case Basic::short_int:
            return location<short, int>(kind);
        case Basic::two_int:
            return location<int, int>(kind);
        case Basic::long_double_int:
            return location<long double, int>(kind);
        case Basic::two_integer:
            return location<std::int32_t, std::int32_t>(kind);
        case Basic::two_real:
            return location<float, float>(kind);
        case Basic::two_double_precision:
            return location<double, double>(kind);
        default:
            return nullptr;
    }
}

Kernel number(Kind kind, const BasicTraits& t) {
    const std::size_t size = t.size();
    switch (t.family) {
        case Family::signed_integer:
            return size == 1   ? integer<std::int8_t>(kind)
                   : size == 2 ? integer<std::int16_t>(kind)
                   : size == 4 ? integer<std::int32_t>(kind)
                               : integer<std::int64_t>(kind);
        case Family::unsigned_integer:
            return size == 1   ? integer<std::uint8_t>(kind)
                   : size == 2 ? integer<std::uint16_t>(kind)
                   : size == 4 ? integer<std::uint32_t>(kind)
                               : integer<std::uint64_t>(kind);
        case Family::floating:
            return t.basic == Basic::real16 ? arithmetic<Quad>(kind)
                   : size == sizeof(float)  ? arithmetic<float>(kind)
                   : size == sizeof(double) ? arithmetic<double>(kind)
                                            : arithmetic<long double>(kind);
        case Family::complex:
            return t.basic == Basic::complex32  ? complex<Quad>(kind)
                   : size == 2 * sizeof(float)  ? complex<float>(kind)
                   : size == 2 * sizeof(double) ? complex<double>(kind)
                                                : complex<long double>(kind);
        case Family::logical:
            return size == 1 ? logical<std::uint8_t>(kind) : logical<std::uint32_t>(kind);
        case Family::bytes:
            return bitwise<std::uint8_t>(kind);
        case Family::pair:
            return pair(kind, t.basic);
        case Family::other:
            return nullptr;
    }
    return nullptr;
}

}  // namespace

const Kernel* kernels_of(Operation::Kind kind) {
    using Row = std::array<Kernel, basic_kinds>;
    static const auto table = [] {
        std::array<Row, static_cast<std::size_t>(Kind::user) + 1> all{};
        for (std::size_t k = 0; k < all.size(); ++k)
            for (std::size_t b = 0; b < basic_kinds; ++b)
                all[k][b] = number(static_cast<Kind>(k), traits(static_cast<Basic>(b)));
        return all;
    }();
    return table[static_cast<std::size_t>(kind)].data();
}

}  // namespace railyard::mpi
