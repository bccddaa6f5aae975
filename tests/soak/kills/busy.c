/* An MPI program that talks all the time it is given, and says when it has ended well. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { largest = 1 << 20 };

int main(int argc, char** argv) {
    int rank, size;
    double until = argc > 1 ? atof(argv[1]) / 1e3 : 0.1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char* out = calloc(1, largest);
    char* in = calloc(1, largest);
    until += MPI_Wtime();
    for (int round = 0;; ++round) {
        static const int sizes[] = {8, 4096, 60, 100000, 0, 1000, largest};
        const int n = sizes[round % 7];
        int more = MPI_Wtime() < until;
        MPI_Sendrecv(out, n, MPI_BYTE, (rank + 1) % size, 1, in, n, MPI_BYTE,
                     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (!more) break;
    }
    free(out);
    free(in);
    MPI_Finalize();
    printf("done\n");
    return 0;
}
