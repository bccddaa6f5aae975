/* Threads that only compute. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static int own;
#pragma omp threadprivate(own)

int main(int argc, char** argv) {
    int rank, of_threads[3];
    double sum = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
        own = 10 * rank + omp_get_thread_num();
        sum += own;
    }
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#pragma omp parallel num_threads(3)
    of_threads[omp_get_thread_num()] = own;
    printf("rank %d: sum %.0f, threads %d %d %d\n", rank, all, of_threads[0], of_threads[1],
           of_threads[2]);
    MPI_Finalize();
    return 0;
}
