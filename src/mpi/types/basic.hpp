#pragma once
/// MPI's predefined datatypes: what each is called and how a compiler lays it out.

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace railyard::mpi {

enum class Basic : std::uint8_t {
    none,  ///< a derived type

    // C
    c_char,
    signed_char,
    unsigned_char,
    byte,
    wchar,
    c_short,
    unsigned_short,
    c_int,
    unsigned_int,
    c_long,
    unsigned_long,
    long_long,
    unsigned_long_long,
    c_float,
    c_double,
    long_double,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    c_bool,
    c_float_complex,
    c_double_complex,
    c_long_double_complex,
    float16,

    // MPI's own
    aint,
    offset,
    count,
    packed,
    lb,  ///< MPI-1's markers: no data, they set the bounds of a struct
    ub,

    // A value and an index, for minloc and maxloc
    float_int,
    double_int,
    long_int,
    short_int,
    two_int,
    long_double_int,
    two_integer,
    two_real,
    two_double_precision,

    // Fortran
    integer,
    real,
    double_precision,
    logical,
    character,
    complex,
    double_complex,
    real4,
    real8,
    real16,
    complex8,
    complex16,
    complex32,
    integer1,
    integer2,
    integer4,
    integer8,

    // C++
    cxx_bool,
    cxx_float_complex,
    cxx_double_complex,
    cxx_long_double_complex,
};

constexpr std::size_t basic_kinds = static_cast<std::size_t>(Basic::cxx_long_double_complex) + 1;

/// A floating-point number of 16 bytes: Fortran's REAL(16), and C's long double on some machines.
#if LDBL_MANT_DIG == 113
using Quad = long double;
#else
__extension__ typedef __float128 Quad;
#endif

/// What one can calculate with it.
enum class Family : std::uint8_t {
    other,  ///< nothing
    signed_integer,
    unsigned_integer,
    floating,
    complex,
    logical,
    bytes,
    pair,
};

/// How one is laid out. Pairs have a second part; of all others `first` is all.
struct BasicTraits {
    Basic basic = Basic::none;
    std::string_view name;  ///< as MPI_Type_get_name says it
    Family family = Family::other;
    std::size_t first = 0;  ///< bytes
    std::size_t alignment = 1;
    std::size_t second = 0;     ///< bytes; 0: not a pair
    std::size_t second_at = 0;  ///< its offset
    std::size_t extent = 0;

    constexpr std::size_t size() const { return first + second; }
    constexpr std::size_t parts() const { return first == 0 ? 0 : second == 0 ? 1 : 2; }
};

const BasicTraits& traits(Basic basic);

}  // namespace railyard::mpi
