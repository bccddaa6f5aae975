#pragma once
/// Derived datatypes from C arrays: what the calls of today and those of MPI-1 have in common.

#include <cstddef>

#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

TypeRef make_hindexed(std::size_t count, const int lengths[], const MPI_Aint displacements[],
                      const TypeRef& old);
TypeRef make_struct(State& state, std::size_t count, const int lengths[],
                    const MPI_Aint displacements[], const MPI_Datatype types[]);
/// Each not negative.
std::vector<std::size_t> to_counts(std::size_t count, const int values[], const char* argument);

}  // namespace railyard::mpi::abi
