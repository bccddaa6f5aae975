/* What simulators of MPI are compared by, for any MPI: `halo ROUNDS`, messages of 512 bytes to four neighbours in a
 * square of ranks, without arithmetic; `alltoall ROUNDS`, 1 KiB from each to each. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { face = 512, piece = 1024 };

static void halo(int rounds) {
    int ranks, dims[2] = {0, 0}, periods[2] = {1, 1}, neighbours[4];
    static char out[4][face], in[4][face];
    MPI_Comm square;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &square);
    MPI_Cart_shift(square, 0, 1, &neighbours[0], &neighbours[1]);
    MPI_Cart_shift(square, 1, 1, &neighbours[2], &neighbours[3]);
    for (int round = 0; round < rounds; ++round) {
        MPI_Request requests[8];
        for (int i = 0; i < 4; ++i)
            MPI_Irecv(in[i], face, MPI_CHAR, neighbours[i], i ^ 1, square, &requests[i]);
        for (int i = 0; i < 4; ++i)
            MPI_Isend(out[i], face, MPI_CHAR, neighbours[i], i, square, &requests[4 + i]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&square);
}

static void alltoall(int rounds) {
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char* const out = calloc((size_t)ranks, piece);
    char* const in = calloc((size_t)ranks, piece);
    for (int round = 0; round < rounds; ++round)
        MPI_Alltoall(out, piece, MPI_CHAR, in, piece, MPI_CHAR, MPI_COMM_WORLD);
    free(out);
    free(in);
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int rounds = argc > 2 ? atoi(argv[2]) : 1;
    const double begin = MPI_Wtime();
    if (argc > 1 && strcmp(argv[1], "alltoall") == 0)
        alltoall(rounds);
    else
        halo(rounds);
    if (rank == 0) printf("seconds %.9f\n", MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
