/* mpi-init-time: how long MPI_Init took, as the mean over all ranks. */

#include "measure.h"
#include "procedures.h"

void suite_init_time(const struct suite_request* request) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double least = 0;
    double sum = 0;
    MPI_Reduce(&request->init_seconds, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&request->init_seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (least < 0) return; /* somewhere it is not known */
    const double mean = sum / ranks * 1e6;
    const struct suite_parameter processes = suite_number("processes", ranks);
    suite_emit(request, "init_time", "us", &processes, 1, &mean, 1);
}
