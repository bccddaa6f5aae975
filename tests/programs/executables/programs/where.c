/* Says what it was started with, and where it works. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char* last_part(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

int main(int argc, char** argv) {
    int rank, size, provided;
    volatile double work = 0;
    for (int i = 0; i < 100000000; ++i) /* before MPI, so it is not to be charged */
        work += i;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char* role = getenv("ROLE");
    const time_t day = rank * 86400;
    setenv("TZ", "UTC0", 1);
    const struct tm* date = gmtime(&day);
    const char* text = ctime(&day);
    if (argc > 1 && chdir(argv[1]) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    char directory[4096];
    FILE* const file = fopen("written", "w");
    if (getcwd(directory, sizeof directory) == NULL || file == NULL) return 1;
    fprintf(file, "%d\n", rank);
    fclose(file);
    printf("rank %d of %d: %s, role %s, in %s, day %d, %.10s\n", rank, size, last_part(argv[0]),
           role != NULL ? role : "none", last_part(directory), date->tm_yday, text);
    MPI_Finalize();
    return 0;
}
