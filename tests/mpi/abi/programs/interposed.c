/* A profiling tool and a program in one: its MPI_Send counts, and passes on to PMPI_Send. A call of
 * the library's own must not come by. */

#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    ++sends;
    return PMPI_Send(buf, count, type, dest, tag, comm);
}

int main(int argc, char** argv) {
    int rank, token = 0;
    MPI_Comm dup;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Bcast(&token, 1, MPI_INT, 0, dup);
    if (rank == 0) MPI_Send(&token, 1, MPI_INT, 1, 0, dup);
    if (rank == 1) MPI_Recv(&token, 1, MPI_INT, 0, 0, dup, MPI_STATUS_IGNORE);
    MPI_Comm_free(&dup);
    if (rank == 0) printf("interposed: %d\n", sends);
    MPI_Finalize();
    return 0;
}
