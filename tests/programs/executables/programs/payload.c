/* Messages of all kinds, short and long: what comes of each is told. A long one may leave its bytes behind, a short
 * one, a reduction and counts never do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { few = 64, many = 40000 };

static int rank, ranks;

static void tell(const char* what, const void* got, const void* expected, size_t n) {
    int right = memcmp(got, expected, n) == 0, all = 0;
    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: %s\n", what, all ? "came" : "stayed");
}

static void ring(int n) {
    char *out = malloc((size_t)n), *in = calloc((size_t)n, 1), *expected = malloc((size_t)n);
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    char name[32];
    memset(out, 1 + rank, (size_t)n);
    memset(expected, 1 + previous, (size_t)n);
    MPI_Sendrecv(out, n, MPI_CHAR, next, 0, in, n, MPI_CHAR, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sprintf(name, "message of %d", n);
    tell(name, in, expected, (size_t)n);
    free(out);
    free(in);
    free(expected);
}

/* Every second number, so that the data have gaps; found before and after its receive. */
static void gaps(int n) {
    int *out = malloc(2 * (size_t)n * sizeof(int)), *in = calloc(2 * (size_t)n, sizeof(int));
    MPI_Datatype every_second;
    MPI_Request request;
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    MPI_Type_vector(n, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    for (int i = 0; i < 2 * n; ++i)
        out[i] = i;
    MPI_Isend(out, 1, every_second, next, 1, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(in, 1, every_second, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell(n == few / 4 ? "few with gaps" : "many with gaps", &in[2 * n - 2], &out[2 * n - 2], sizeof(int));
    MPI_Type_free(&every_second);
    free(out);
    free(in);
}

static void collectives(int n) {
    double *mine = malloc((size_t)n * sizeof(double)), *sum = calloc((size_t)n, sizeof(double));
    char *out = malloc((size_t)(n * ranks)), *in = calloc((size_t)(n * ranks), 1), *data = calloc((size_t)n, 1);
    for (int i = 0; i < n; ++i)
        mine[i] = i;
    MPI_Allreduce(mine, sum, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i)
        mine[i] *= ranks;
    tell("reduction", sum, mine, (size_t)n * sizeof(double));
    if (rank == 1) memset(data, 7, (size_t)n);
    memset(out, 7, (size_t)(n * ranks));
    MPI_Bcast(data, n, MPI_CHAR, 1, MPI_COMM_WORLD);
    tell("broadcast", data, out, (size_t)n);
    MPI_Alltoall(out, n, MPI_CHAR, in, n, MPI_CHAR, MPI_COMM_WORLD);
    tell("all to all", in, out, (size_t)(n * ranks));
    memset(in, 0, (size_t)(n * ranks));
    MPI_Allgather(out, n, MPI_CHAR, in, n, MPI_CHAR, MPI_COMM_WORLD);
    tell("gathered by all", in, out, (size_t)(n * ranks));
    memset(in, 0, (size_t)(n * ranks));
    int counts[64], places[64];
    for (int r = 0; r < ranks; ++r) {
        counts[r] = n;
        places[r] = r * n;
    }
    MPI_Alltoallv(out, counts, places, MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_WORLD);
    tell("all to all, by counts", in, out, (size_t)(n * ranks));
    free(mine);
    free(sum);
    free(out);
    free(in);
    free(data);
}

static void one_sided(int n) {
    char *memory, *out = malloc((size_t)n);
    MPI_Win window;
    MPI_Win_allocate(n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, (size_t)n);
    memset(out, 9, (size_t)n);
    MPI_Win_fence(0, window);
    MPI_Put(out, n, MPI_CHAR, (rank + 1) % ranks, 0, n, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    tell("put", memory, out, (size_t)n);
    MPI_Win_free(&window);
    free(out);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int n = few; n <= many; n += many - few) {
        ring(n);
        gaps(n / 4);
        collectives(n);
        one_sided(n);
    }
    ring(1000);
    ring(1 << 20);
    MPI_Finalize();
    return 0;
}
