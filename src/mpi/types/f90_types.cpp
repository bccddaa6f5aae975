// Fortran's kinds: the smallest type that has what the program asks for.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mpi/types/constructors.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

/// Decimal digits and decimal exponents that a kind holds for certain, as PRECISION and RANGE say.
struct FloatingKind {
    int digits;
    int range;
    Basic real;
    Basic complex;
};
constexpr std::array floating_kinds{FloatingKind{6, 37, Basic::real4, Basic::complex8},
                                    FloatingKind{15, 307, Basic::real8, Basic::complex16},
                                    FloatingKind{33, 4931, Basic::real16, Basic::complex32}};

struct IntegerKind {
    int range;
    Basic basic;
};
constexpr std::array integer_kinds{IntegerKind{2, Basic::integer1}, IntegerKind{4, Basic::integer2},
                                   IntegerKind{9, Basic::integer4},
                                   IntegerKind{18, Basic::integer8}};

const FloatingKind& floating_kind(int digits, int range) {
    if (digits == no_requirement && range == no_requirement)
        throw MpiError(ErrorClass::arg, "p and r are both MPI_UNDEFINED; give one of them");
    const auto found = std::ranges::find_if(floating_kinds, [&](const FloatingKind& kind) {
        return digits <= kind.digits && range <= kind.range;
    });
    if (found == floating_kinds.end())
        throw MpiError(
            ErrorClass::arg,
            fmt::format("no type has {} decimal digits and exponents of {}; there are "
                        "at most {} and {}",
                        digits, range, floating_kinds.back().digits, floating_kinds.back().range));
    return *found;
}

void check_not_negative(int value, const char* argument) {
    if (value < 0 && value != no_requirement)
        throw MpiError(ErrorClass::arg, fmt::format("{} is {}; it is a number of decimal digits, "
                                                    "or MPI_UNDEFINED",
                                                    argument, value));
}

TypeRef floating(Combiner combiner, Basic FloatingKind::*basic, int digits, int range) {
    check_not_negative(digits, "p");
    check_not_negative(range, "r");
    return std::make_shared<const Datatype>(floating_kind(digits, range).*basic,
                                            Contents{combiner, {digits, range}, {}, {}});
}

}  // namespace

TypeRef f90_real(int digits, int range) {
    return floating(Combiner::f90_real, &FloatingKind::real, digits, range);
}

TypeRef f90_complex(int digits, int range) {
    return floating(Combiner::f90_complex, &FloatingKind::complex, digits, range);
}

TypeRef f90_integer(int range) {
    const auto found = std::ranges::find_if(
        integer_kinds, [range](const IntegerKind& kind) { return range <= kind.range; });
    if (range < 0 || found == integer_kinds.end())
        throw MpiError(ErrorClass::arg, fmt::format("r is {}; integers have 0 to {} decimal digits",
                                                    range, integer_kinds.back().range));
    return std::make_shared<const Datatype>(found->basic,
                                            Contents{Combiner::f90_integer, {range}, {}, {}});
}

}  // namespace railyard::mpi
