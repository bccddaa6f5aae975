#pragma once
/// What the calls of MPI-1 have in common with those that replaced them.

#include <cstddef>
#include <vector>

#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

// Attributes, in attributes.cpp.

/// The user's functions are the same for communicators and datatypes: handles are ints.
using CopyFunction = int(int, int, void*, void*, void*, int*);
using DeleteFunction = int(int, int, void*, void*);

int create_keyval(State& state, KeyvalEntry::Of of, CopyFunction* copy, DeleteFunction* erase,
                  void* extra_state);
void free_keyval(State& state, KeyvalEntry::Of of, int& keyval);
void set_comm_attribute(State& state, Comm& comm, int keyval, void* value);
void get_comm_attribute(State& state, Comm& comm, int keyval, void* place, int& flag);
void delete_comm_attribute(State& state, Comm& comm, int keyval);

// Error handlers, in errors.cpp.

MPI_Errhandler create_error_handler(State& state, MPI_Comm_errhandler_function* function);
/// A handle of the communicator's handler, for the user to free.
MPI_Errhandler give_error_handler(State& state, const Comm& comm);

// Derived datatypes from C arrays, in datatypes.cpp.

TypeRef make_hindexed(std::size_t count, const int lengths[], const MPI_Aint displacements[],
                      const TypeRef& old);
TypeRef make_struct(State& state, std::size_t count, const int lengths[],
                    const MPI_Aint displacements[], const MPI_Datatype types[]);
/// Each not negative.
std::vector<std::size_t> to_counts(std::size_t count, const int values[], const char* argument);

}  // namespace railyard::mpi::abi
