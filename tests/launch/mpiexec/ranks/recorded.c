/* For tests of recording: a ring of messages, and, if it is asked for, a rank that is late, a
   crash, or threads that call at the same time, few or many. */
#define _DEFAULT_SOURCE /* usleep */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void* talk(void* tag) {
    char out[64] = {0}, in[64];
    for (int i = 0; i < 50; ++i) {
        MPI_Request request;
        MPI_Irecv(in, sizeof in, MPI_CHAR, MPI_ANY_SOURCE, *(int*)tag, MPI_COMM_WORLD, &request);
        MPI_Send(out, i + 1, MPI_CHAR, (rank + 1) % size, *(int*)tag, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

/* All wait at a time; whom the other rank lets go on goes on. */
enum { crowd = 100, first_of_crowd = 1000 };

static void* wait_in_crowd(void* number) {
    const int tag = first_of_crowd + (int)((int*)number)[0];
    char word;
    MPI_Recv(&word, 1, MPI_CHAR, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void gather_crowd(void) {
    static pthread_t threads[crowd];
    static int numbers[crowd];
    char word = 0;
    for (int i = 0; i < crowd; ++i) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, wait_in_crowd, &numbers[i]);
    }
    usleep(200000);
    MPI_Barrier(MPI_COMM_WORLD);
    /* In an order of which neither the first nor the last of them is the next. */
    for (int i = 0; i < crowd; ++i)
        MPI_Send(&word, 1, MPI_CHAR, 1 - rank, first_of_crowd + i * 37 % crowd, MPI_COMM_WORLD);
    for (int i = 0; i < crowd; ++i)
        pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
    int provided;
    const int has_crowd = argc > 1 && strcmp(argv[1], "crowd") == 0;
    const int has_threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    MPI_Init_thread(&argc, &argv,
                    has_crowd || has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char out[100] = {0}, in[100];
    for (int i = 0; i < 10; ++i) {
        MPI_Request request;
        MPI_Irecv(in, sizeof in, MPI_CHAR, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request);
        MPI_Send(out, 10 * rank + 10, MPI_CHAR, (rank + 1) % size, 3, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (has_crowd) gather_crowd();
    if (has_threads) {
        pthread_t threads[2];
        int tags[2] = {10, 11};
        for (int i = 0; i < 2; ++i)
            pthread_create(&threads[i], NULL, talk, &tags[i]);
        for (int i = 0; i < 2; ++i)
            pthread_join(threads[i], NULL);
    }
    if (argc > 1 && strcmp(argv[1], "late") == 0) {
        if (rank == 0) {
            usleep(200000);
            MPI_Send(out, 1, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(in, 1, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    if (argc > 1 && strcmp(argv[1], "crash") == 0) {
        if (rank == 1) abort();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
