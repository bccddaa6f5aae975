#include "mpi/abi/handles.hpp"

#include <mpi.h>

#include <array>

namespace railyard::mpi::abi {

namespace {

struct Named {
    int handle;
    Basic basic;
};

constexpr Named named_types[] = {
    {MPI_CHAR, Basic::c_char},
    {MPI_SIGNED_CHAR, Basic::signed_char},
    {MPI_UNSIGNED_CHAR, Basic::unsigned_char},
    {MPI_BYTE, Basic::byte},
    {MPI_WCHAR, Basic::wchar},
    {MPI_SHORT, Basic::c_short},
    {MPI_UNSIGNED_SHORT, Basic::unsigned_short},
    {MPI_INT, Basic::c_int},
    {MPI_UNSIGNED, Basic::unsigned_int},
    {MPI_LONG, Basic::c_long},
    {MPI_UNSIGNED_LONG, Basic::unsigned_long},
    {MPI_LONG_LONG_INT, Basic::long_long},
    {MPI_UNSIGNED_LONG_LONG, Basic::unsigned_long_long},
    {MPI_FLOAT, Basic::c_float},
    {MPI_DOUBLE, Basic::c_double},
    {MPI_LONG_DOUBLE, Basic::long_double},
    {MPI_INT8_T, Basic::int8},
    {MPI_INT16_T, Basic::int16},
    {MPI_INT32_T, Basic::int32},
    {MPI_INT64_T, Basic::int64},
    {MPI_UINT8_T, Basic::uint8},
    {MPI_UINT16_T, Basic::uint16},
    {MPI_UINT32_T, Basic::uint32},
    {MPI_UINT64_T, Basic::uint64},
    {MPI_C_BOOL, Basic::c_bool},
    {MPI_C_FLOAT_COMPLEX, Basic::c_float_complex},
    {MPI_C_DOUBLE_COMPLEX, Basic::c_double_complex},
    {MPI_C_LONG_DOUBLE_COMPLEX, Basic::c_long_double_complex},
    {MPIX_C_FLOAT16, Basic::float16},
    {MPI_AINT, Basic::aint},
    {MPI_OFFSET, Basic::offset},
    {MPI_COUNT, Basic::count},
    {MPI_PACKED, Basic::packed},
    {MPI_LB, Basic::lb},
    {MPI_UB, Basic::ub},
    {MPI_FLOAT_INT, Basic::float_int},
    {MPI_DOUBLE_INT, Basic::double_int},
    {MPI_LONG_INT, Basic::long_int},
    {MPI_SHORT_INT, Basic::short_int},
    {MPI_2INT, Basic::two_int},
    {MPI_LONG_DOUBLE_INT, Basic::long_double_int},
    {MPI_2INTEGER, Basic::two_integer},
    {MPI_2REAL, Basic::two_real},
    {MPI_2DOUBLE_PRECISION, Basic::two_double_precision},
    {MPI_INTEGER, Basic::integer},
    {MPI_REAL, Basic::real},
    {MPI_DOUBLE_PRECISION, Basic::double_precision},
    {MPI_LOGICAL, Basic::logical},
    {MPI_CHARACTER, Basic::character},
    {MPI_COMPLEX, Basic::complex},
    {MPI_DOUBLE_COMPLEX, Basic::double_complex},
    {MPI_REAL4, Basic::real4},
    {MPI_REAL8, Basic::real8},
    {MPI_REAL16, Basic::real16},
    {MPI_COMPLEX8, Basic::complex8},
    {MPI_COMPLEX16, Basic::complex16},
    {MPI_COMPLEX32, Basic::complex32},
    {MPI_INTEGER1, Basic::integer1},
    {MPI_INTEGER2, Basic::integer2},
    {MPI_INTEGER4, Basic::integer4},
    {MPI_INTEGER8, Basic::integer8},
    {MPI_CXX_BOOL, Basic::cxx_bool},
    {MPI_CXX_FLOAT_COMPLEX, Basic::cxx_float_complex},
    {MPI_CXX_DOUBLE_COMPLEX, Basic::cxx_double_complex},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, Basic::cxx_long_double_complex},
};

constexpr auto by_index = [] {
    std::array<BuiltinType, builtin_type_count> table{};
    for (const Named& named : named_types) {
        const auto handle = static_cast<std::uint32_t>(named.handle);
        table[builtin_index(handle)] = {handle, named.basic};
    }
    return table;
}();

constexpr auto by_basic = [] {
    std::array<int, basic_kinds> table{};
    table[0] = MPI_DATATYPE_NULL;
    for (const Named& named : named_types)
        table[static_cast<std::size_t>(named.basic)] = named.handle;
    return table;
}();

static_assert(
    [] {
        for (const int handle : by_basic)
            if (handle == 0) return false;
        return true;
    }(),
    "every basic type has a handle");

}  // namespace

const BuiltinType* builtin_types() {
    return by_index.data();
}

int handle_of(Basic basic) {
    return by_basic[static_cast<std::size_t>(basic)];
}

}  // namespace railyard::mpi::abi
