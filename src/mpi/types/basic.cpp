#include "mpi/types/basic.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <concepts>
#include <type_traits>

namespace railyard::mpi {

namespace {

/// char counts as an integer: MPI says that it is for text, but programs do add it up, and others
/// let them.
template <class T>
constexpr Family family_of = Family::complex;
template <std::integral T>
constexpr Family family_of<T> =
    std::is_signed_v<T> ? Family::signed_integer : Family::unsigned_integer;
template <>
constexpr Family family_of<bool> = Family::logical;
template <std::floating_point T>
constexpr Family family_of<T> = Family::floating;

template <class T>
constexpr BasicTraits single(Basic basic, std::string_view name, Family family = family_of<T>) {
    return {.basic = basic,
            .name = name,
            .family = family,
            .first = sizeof(T),
            .alignment = alignof(T),
            .extent = sizeof(T)};
}

template <class Value, class Index>
constexpr BasicTraits pair(Basic basic, std::string_view name) {
    struct Pair {
        Value value;
        Index index;
    };
    return {.basic = basic,
            .name = name,
            .family = Family::pair,
            .first = sizeof(Value),
            .alignment = alignof(Pair),
            .second = sizeof(Index),
            .second_at = offsetof(Pair, index),
            .extent = sizeof(Pair)};
}

constexpr BasicTraits marker(Basic basic, std::string_view name) {
    return {.basic = basic, .name = name};
}

/// Sixteen bytes, as Fortran's REAL(16); C has them as long double on some machines only.
struct alignas(16) QuadStorage {
    std::byte bytes[16];
};
struct alignas(16) QuadComplexStorage {
    std::byte bytes[32];
};

constexpr std::array basic_types{
    single<char>(Basic::c_char, "MPI_CHAR"),
    single<signed char>(Basic::signed_char, "MPI_SIGNED_CHAR"),
    single<unsigned char>(Basic::unsigned_char, "MPI_UNSIGNED_CHAR"),
    single<std::byte>(Basic::byte, "MPI_BYTE", Family::bytes),
    single<wchar_t>(Basic::wchar, "MPI_WCHAR", Family::other),
    single<short>(Basic::c_short, "MPI_SHORT"),
    single<unsigned short>(Basic::unsigned_short, "MPI_UNSIGNED_SHORT"),
    single<int>(Basic::c_int, "MPI_INT"),
    single<unsigned>(Basic::unsigned_int, "MPI_UNSIGNED"),
    single<long>(Basic::c_long, "MPI_LONG"),
    single<unsigned long>(Basic::unsigned_long, "MPI_UNSIGNED_LONG"),
    single<long long>(Basic::long_long, "MPI_LONG_LONG_INT"),
    single<unsigned long long>(Basic::unsigned_long_long, "MPI_UNSIGNED_LONG_LONG"),
    single<float>(Basic::c_float, "MPI_FLOAT"),
    single<double>(Basic::c_double, "MPI_DOUBLE"),
    single<long double>(Basic::long_double, "MPI_LONG_DOUBLE"),
    single<std::int8_t>(Basic::int8, "MPI_INT8_T"),
    single<std::int16_t>(Basic::int16, "MPI_INT16_T"),
    single<std::int32_t>(Basic::int32, "MPI_INT32_T"),
    single<std::int64_t>(Basic::int64, "MPI_INT64_T"),
    single<std::uint8_t>(Basic::uint8, "MPI_UINT8_T"),
    single<std::uint16_t>(Basic::uint16, "MPI_UINT16_T"),
    single<std::uint32_t>(Basic::uint32, "MPI_UINT32_T"),
    single<std::uint64_t>(Basic::uint64, "MPI_UINT64_T"),
    single<bool>(Basic::c_bool, "MPI_C_BOOL"),
    single<std::complex<float>>(Basic::c_float_complex, "MPI_C_FLOAT_COMPLEX"),
    single<std::complex<double>>(Basic::c_double_complex, "MPI_C_DOUBLE_COMPLEX"),
    single<std::complex<long double>>(Basic::c_long_double_complex, "MPI_C_LONG_DOUBLE_COMPLEX"),
    single<std::uint16_t>(Basic::float16, "MPIX_C_FLOAT16", Family::other),
    single<std::ptrdiff_t>(Basic::aint, "MPI_AINT"),
    single<std::int64_t>(Basic::offset, "MPI_OFFSET"),
    single<std::int64_t>(Basic::count, "MPI_COUNT"),
    single<std::byte>(Basic::packed, "MPI_PACKED", Family::other),
    marker(Basic::lb, "MPI_LB"),
    marker(Basic::ub, "MPI_UB"),
    pair<float, int>(Basic::float_int, "MPI_FLOAT_INT"),
    pair<double, int>(Basic::double_int, "MPI_DOUBLE_INT"),
    pair<long, int>(Basic::long_int, "MPI_LONG_INT"),
    pair<short, int>(Basic::short_int, "MPI_SHORT_INT"),
    pair<int, int>(Basic::two_int, "MPI_2INT"),
    pair<long double, int>(Basic::long_double_int, "MPI_LONG_DOUBLE_INT"),
    pair<std::int32_t, std::int32_t>(Basic::two_integer, "MPI_2INTEGER"),
    pair<float, float>(Basic::two_real, "MPI_2REAL"),
    pair<double, double>(Basic::two_double_precision, "MPI_2DOUBLE_PRECISION"),
    single<std::int32_t>(Basic::integer, "MPI_INTEGER"),
    single<float>(Basic::real, "MPI_REAL"),
    single<double>(Basic::double_precision, "MPI_DOUBLE_PRECISION"),
    single<std::int32_t>(Basic::logical, "MPI_LOGICAL", Family::logical),
    single<char>(Basic::character, "MPI_CHARACTER"),
    single<std::complex<float>>(Basic::complex, "MPI_COMPLEX"),
    single<std::complex<double>>(Basic::double_complex, "MPI_DOUBLE_COMPLEX"),
    single<float>(Basic::real4, "MPI_REAL4"),
    single<double>(Basic::real8, "MPI_REAL8"),
    single<QuadStorage>(Basic::real16, "MPI_REAL16", Family::floating),
    single<std::complex<float>>(Basic::complex8, "MPI_COMPLEX8"),
    single<std::complex<double>>(Basic::complex16, "MPI_COMPLEX16"),
    single<QuadComplexStorage>(Basic::complex32, "MPI_COMPLEX32"),
    single<std::int8_t>(Basic::integer1, "MPI_INTEGER1"),
    single<std::int16_t>(Basic::integer2, "MPI_INTEGER2"),
    single<std::int32_t>(Basic::integer4, "MPI_INTEGER4"),
    single<std::int64_t>(Basic::integer8, "MPI_INTEGER8"),
    single<bool>(Basic::cxx_bool, "MPI_CXX_BOOL"),
    single<std::complex<float>>(Basic::cxx_float_complex, "MPI_CXX_FLOAT_COMPLEX"),
    single<std::complex<double>>(Basic::cxx_double_complex, "MPI_CXX_DOUBLE_COMPLEX"),
    single<std::complex<long double>>(Basic::cxx_long_double_complex,
                                      "MPI_CXX_LONG_DOUBLE_COMPLEX"),
};

/// Sorted by the enumeration, so that a look-up is an index.
constexpr auto table = [] {
    std::array<BasicTraits, basic_kinds> all{};
    for (const BasicTraits& one : basic_types)
        all[static_cast<std::size_t>(one.basic)] = one;
    return all;
}();

static_assert(basic_types.size() + 1 == basic_kinds, "every Basic has its line");
static_assert(std::all_of(table.begin() + 1, table.end(),
                          [](const BasicTraits& t) { return t.basic != Basic::none; }),
              "no Basic has two lines");

}  // namespace

const BasicTraits& traits(Basic basic) {
    return table[static_cast<std::size_t>(basic)];
}

}  // namespace railyard::mpi
