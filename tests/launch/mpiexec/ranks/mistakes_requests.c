/* Requests that are never completed or freed, of every kind; buffers in use. */

#include <pthread.h>

#include "mistakes.h"

static void changed(void) {
    static int big[100000];
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(big, 100000, MPI_INT, 1, 7, world, &request);
        if (!right) big[5] = 1;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) MPI_Recv(big, 100000, MPI_INT, 0, 7, world, MPI_STATUS_IGNORE);
}

/* A request that is known to be complete has given its buffer back. */
static void looked_at(void) {
    static int big[100000];
    int flag = 0;
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Isend(big, 100000, MPI_INT, 1, 7, world, &requests[0]);
        while (right && !flag)
            MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
        big[5] = 1;
        MPI_Irecv(big, 100000, MPI_INT, 1, 7, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 1) {
        MPI_Recv(big, 100000, MPI_INT, 0, 7, world, MPI_STATUS_IGNORE);
        MPI_Send(big, 100000, MPI_INT, 0, 7, world);
    }
}

static void overlapping(void) {
    int v[8];
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(v, 4, MPI_INT, 1, 7, world, &requests[0]);
        MPI_Irecv(v + (right ? 4 : 2), 4, MPI_INT, 1, 7, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 1) {
        MPI_Send(v, 4, MPI_INT, 0, 7, world);
        MPI_Send(v, 4, MPI_INT, 0, 7, world);
    }
}

/* The long one begins further away than the short one between. */
static void overlapping_far(void) {
    static int v[100000];
    MPI_Request requests[3];
    if (rank == 0) {
        MPI_Isend(v, right ? 50000 : 100000, MPI_INT, 1, 7, world, &requests[0]);
        MPI_Isend(v + 60000, 1, MPI_INT, 1, 9, world, &requests[1]);
        MPI_Irecv(v + 70000, 1, MPI_INT, 0, 9, world, &requests[2]);
        MPI_Send(v, 1, MPI_INT, 1, 8, world);
        MPI_Send(v, 1, MPI_INT, 0, 9, world);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 1) {
        MPI_Recv(v, 1, MPI_INT, 0, 8, world, MPI_STATUS_IGNORE);
        MPI_Recv(v, 1, MPI_INT, 0, 9, world, MPI_STATUS_IGNORE);
        MPI_Recv(v, 100000, MPI_INT, 0, 7, world, MPI_STATUS_IGNORE);
    }
}

/* No mistake: threads of a rank use one buffer in turn, and tell each other by messages. */
enum { turns = 300 };
static int shared;

static void* first_user(void* unused) {
    MPI_Request request;
    int token = 0;
    for (int i = 0; i < turns; ++i) {
        MPI_Irecv(&shared, 1, MPI_INT, rank, 1, world, &request);
        MPI_Send(&token, 1, MPI_INT, rank, 1, world);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&token, 1, MPI_INT, rank, 2, world);
        MPI_Recv(&token, 1, MPI_INT, rank, 3, world, MPI_STATUS_IGNORE);
    }
    return unused;
}

static void threads(void) {
    pthread_t thread;
    int token = 0;
    MPI_Request request;
    pthread_create(&thread, NULL, first_user, NULL);
    for (int i = 0; i < turns; ++i) {
        MPI_Recv(&token, 1, MPI_INT, rank, 2, world, MPI_STATUS_IGNORE);
        MPI_Irecv(&shared, 1, MPI_INT, rank, 4, world, &request);
        MPI_Send(&token, 1, MPI_INT, rank, 4, world);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&token, 1, MPI_INT, rank, 3, world);
    }
    pthread_join(thread, NULL);
}

static void leaked(void) {
    static int v;
    MPI_Request request;
    if (rank == 0) MPI_Isend(&v, 1, MPI_INT, 1, 7, world, &request);
    if (rank == 1) MPI_Recv(&v, 1, MPI_INT, 0, 7, world, MPI_STATUS_IGNORE);
    if (rank == 0 && right) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int ask(void* state, MPI_Status* status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int end(void* state) {
    (void)state;
    return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void generalized(void) {
    MPI_Request request;
    MPI_Grequest_start(ask, end, cancel, NULL, &request);
    MPI_Grequest_complete(request);
    if (right) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent(void) {
    int v = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Send_init(&v, 1, MPI_INT, 1, 7, world, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) {
        MPI_Recv_init(&v, 1, MPI_INT, 0, 7, world, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (right || rank == 1) MPI_Request_free(&request);
}

static void partitioned(void) {
    int v[4] = {0};
    MPI_Request request;
    if (rank == 0) MPI_Psend_init(v, 2, 2, MPI_INT, 1, 7, world, MPI_INFO_NULL, &request);
    if (rank == 1) MPI_Precv_init(v, 2, 2, MPI_INT, 0, 7, world, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (rank == 0) MPI_Pready_range(0, 1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (right || rank == 1) MPI_Request_free(&request);
}

static void collective(void) {
    static int v;
    MPI_Request request;
    MPI_Ibcast(&v, 1, MPI_INT, 0, world, &request);
    if (right || rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
}

static void persistent_collective(void) {
    MPI_Request request;
    MPI_Barrier_init(world, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (right || rank == 1) MPI_Request_free(&request);
}

static void both_at_once(void) {
    static int v, w;
    MPI_Request request;
    MPI_Isendrecv(&v, 1, MPI_INT, 1 - rank, 7, &w, 1, MPI_INT, 1 - rank, 7, world, &request);
    if (right || rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void duplicated(void) {
    MPI_Comm other;
    MPI_Request request;
    MPI_Comm_idup(world, &other, &request);
    if (right || rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
    if (right) MPI_Comm_free(&other);
}

const struct mistake of_requests[] = {
    {"changed", changed},
    {"looked-at", looked_at},
    {"overlapping", overlapping},
    {"overlapping-far", overlapping_far},
    {"threads-in-turn", threads},
    {"leaked", leaked},
    {"leaked-generalized", generalized},
    {"leaked-persistent", persistent},
    {"leaked-partitioned", partitioned},
    {"leaked-collective", collective},
    {"leaked-persistent-collective", persistent_collective},
    {"leaked-at-once", both_at_once},
    {"leaked-duplication", duplicated},
    {NULL, NULL},
};
