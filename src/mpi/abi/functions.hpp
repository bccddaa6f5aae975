#pragma once
/// The functions of the C interface by number and name, from the table that entry points come from.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace railyard::mpi::abi {

enum class Function : std::uint16_t {
#define RAILYARD_MPI_FUNCTION(name) name,
#include <mpi_functions.inc>
#undef RAILYARD_MPI_FUNCTION
};

inline constexpr std::string_view function_names[] = {
#define RAILYARD_MPI_FUNCTION(name) "MPI_" #name,
#include <mpi_functions.inc>
#undef RAILYARD_MPI_FUNCTION
};
inline constexpr std::size_t function_count = std::size(function_names);

constexpr std::string_view name(Function function) {
    return function_names[static_cast<std::size_t>(function)];
}

}  // namespace railyard::mpi::abi
