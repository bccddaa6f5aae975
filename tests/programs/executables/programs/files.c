/* Streams that a program moves, and closes before its end. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank;
    char name[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s.%d", argv[1], rank);
    printf("before %d\n", rank);
    if (freopen(name, "w", stdout) == NULL) return 1;
    printf("in the file of %d\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    fprintf(stderr, "errors of %d\n", rank);
    MPI_Finalize();
    return fclose(stdout) != 0;
}
