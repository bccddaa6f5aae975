#pragma once
/// Attributes as users see them: what the calls of today and those of MPI-1 have in common.

#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

/// The user's functions are the same for communicators and datatypes: handles are ints.
using CopyFunction = int(int, int, void*, void*, void*, int*);
using DeleteFunction = int(int, int, void*, void*);

int create_keyval(State& state, KeyvalEntry::Of of, CopyFunction* copy, DeleteFunction* erase,
                  void* extra_state);
void free_keyval(State& state, KeyvalEntry::Of of, int& keyval);
void set_comm_attribute(State& state, Comm& comm, int keyval, void* value);
void get_comm_attribute(State& state, Comm& comm, int keyval, void* place, int& flag);
void delete_comm_attribute(State& state, Comm& comm, int keyval);

}  // namespace railyard::mpi::abi
