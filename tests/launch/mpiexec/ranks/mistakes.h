#pragma once
/// What the programs of mistakes share. In C.
#include <mpi.h>
#include <stddef.h>

extern int rank, size;
extern int right; /* not to make the mistake, but to do the same as it should be done */
static const MPI_Comm world = MPI_COMM_WORLD;

struct mistake {
    const char* name;
    void (*make)(void);
};
/* Each ends with one that has no name. */
extern const struct mistake of_groups[], of_types[], of_requests[], of_windows[];
