#pragma once
/// Objects of MPI for misuse: right ones, kept or made for one call that frees them, and handles
/// that stand for nothing any more.

#include <mpi.h>

namespace railyard::misuse {

// Made for one call.
int fresh_comm();
int fresh_group();
int fresh_type();  ///< not committed
int fresh_op();
int fresh_info();
int fresh_handler();
int fresh_request();      ///< a receive from nobody: complete
int fresh_persistent();   ///< of a receive from nobody
int fresh_generalized();  ///< a request that the user completes
/// What a key's attributes are of.
enum class Keyed { comms, types, windows };
int fresh_keyval(Keyed of);
int fresh_window();
int fresh_session();
void* fresh_memory();

// Kept for all.
int kept_group();
int kept_type();  ///< derived and committed
int kept_info();
int kept_request();
int kept_keyval(Keyed of);
int kept_window();  ///< of 4 KiB of this rank alone, which are locked
int kept_error();   ///< a code of the user's own
int kept_request_class();
int grid();  ///< a communicator of this rank alone, with a topology; so are the next two
int graph();
int distributed_graph();
int kept_session();

/// Closes all that are open, since MPI ends with the last. Errors are to be returned: some were
/// closed before.
void close_sessions();

// Freed.
int freed_comm();
int freed_group();
int freed_type();
int freed_op();
int freed_info();
int freed_handler();
int freed_request();
int freed_keyval(Keyed of);
int freed_window();
int freed_session();

/// A user's operation and error handler, and functions of a generalized request.
void add(void* in, void* inout, int* count, MPI_Datatype* type);
void add_many(void* in, void* inout, MPI_Count* count, MPI_Datatype* type);
int look(void* state, MPI_Status* status);
int let_go(void* state);
int take_back(void* state, int complete);
int wait_for_them(int count, void** states, double timeout, MPI_Status* status);
void hear(MPI_Comm* comm, int* code, ...);

}  // namespace railyard::misuse
