/* Heat spreads over a square plate: each rank has some rows, and every step takes a row from either
 * neighbour and the sum of all changes. The tutorial runs it on networks that it has not got.
 *
 *     heat SIDE STEPS
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank = 0, size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int side = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 50;
    if (side < size || steps < 1) {
        if (rank == 0) fprintf(stderr, "heat: expected a side of at least one row a rank\n");
        MPI_Finalize();
        return 2;
    }
    const int rows = side / size + (rank < side % size);
    const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    const int down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    double* now = calloc((size_t)(rows + 2) * side, sizeof *now);
    double* next = calloc((size_t)(rows + 2) * side, sizeof *next);
    if (rank == 0)
        for (int x = 0; x < side; ++x)
            now[x] = next[x] = 100; /* the upper edge is kept hot */

    double change = 0;
    MPI_Pcontrol(1); /* what counts begins here */
    const double begin = MPI_Wtime();
    for (int step = 0; step < steps; ++step) {
        double* last = now + (size_t)rows * side;
        MPI_Sendrecv(now + side, side, MPI_DOUBLE, up, 0, last + side, side, MPI_DOUBLE, down, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(last, side, MPI_DOUBLE, down, 1, now, side, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        double own = 0;
        for (int y = 1; y <= rows; ++y)
            for (int x = 1; x + 1 < side; ++x) {
                const double* here = now + (size_t)y * side + x;
                const double value = (here[-1] + here[1] + here[-side] + here[side]) / 4;
                own += fabs(value - *here);
                next[(size_t)y * side + x] = value;
            }
        double* const swap = now;
        now = next, next = swap;
        MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    const double time = MPI_Wtime() - begin;
    MPI_Pcontrol(0); /* ... and ends here */
    if (rank == 0)
        printf("heat %d x %d, %d steps on %d ranks: %.3f ms, last change %.6f\n", side, side, steps,
               size, 1e3 * time, change);
    free(now);
    free(next);
    MPI_Finalize();
    return 0;
}
