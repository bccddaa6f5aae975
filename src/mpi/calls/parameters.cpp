#include "mpi/calls/parameters.hpp"

#include <array>
#include <cstddef>

namespace railyard::mpi::calls {

namespace {

#define RAILYARD_MPI_CHAPTER(name)
#define RAILYARD_MPI_SIGNATURE(function, chapter, count)
#define RAILYARD_MPI_PARAMETER(kind, name) {Kind::kind, #name},
constexpr Parameter all_parameters[] = {
#include <mpi_parameters.inc>
};
#undef RAILYARD_MPI_SIGNATURE
#undef RAILYARD_MPI_PARAMETER

struct Signature {
    Chapter chapter;
    std::uint16_t count;      ///< of its parameters
    std::uint16_t first = 0;  ///< of them
};

#define RAILYARD_MPI_SIGNATURE(function, chapter, count) Signature{Chapter::chapter, count},
#define RAILYARD_MPI_PARAMETER(kind, name)
constexpr auto signatures = [] {
    std::array all = {
#include <mpi_parameters.inc>
    };
    std::uint16_t next = 0;
    for (Signature& one : all) {
        one.first = next;
        next = static_cast<std::uint16_t>(next + one.count);
    }
    return all;
}();
#undef RAILYARD_MPI_CHAPTER
#undef RAILYARD_MPI_SIGNATURE
#undef RAILYARD_MPI_PARAMETER
static_assert(signatures.size() == function_count);

}  // namespace

std::span<const Parameter> parameters(Function function) {
    const Signature& signature = signatures[static_cast<std::size_t>(function)];
    return std::span(all_parameters).subspan(signature.first, signature.count);
}

Chapter chapter(Function function) {
    return signatures[static_cast<std::size_t>(function)].chapter;
}

}  // namespace railyard::mpi::calls
