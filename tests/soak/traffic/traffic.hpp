#pragma once
/// A random MPI program from a seed: every rank draws the same plan, plays its part, and looks at
/// every byte that it gets. It needs nothing but mpi.h, so that other libraries can say whether the
/// program is a legal one.

#include "traffic/lane.hpp"

namespace railyard::soak {

/// Lets a thread that a rank has started find the rank. Where a rank is a process of its own there
/// is nothing to do.
struct ThreadHook {
    void* (*rank_here)() = nullptr;      ///< called by who starts the thread
    void (*join_rank)(void*) = nullptr;  ///< called by the thread
};

/// Every rank calls it with the same arguments. Returns an exit code; wrong content ends the job.
int traffic(int argc, char** argv, ThreadHook hook = {});

}  // namespace railyard::soak
