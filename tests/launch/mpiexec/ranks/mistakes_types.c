/* Messages that are sent as one type and received as another of the same length. */

#include "mistakes.h"

static void scalars(void) {
    float f[4] = {0};
    int v[4] = {0};
    if (rank == 1) MPI_Send(f, 4, MPI_FLOAT, 0, 7, world);
    if (rank == 0 && right) MPI_Recv(f, 4, MPI_FLOAT, 1, 7, world, MPI_STATUS_IGNORE);
    if (rank == 0 && !right) MPI_Recv(v, 4, MPI_INT, 1, 7, world, MPI_STATUS_IGNORE);
}

static void started(void) {
    double d[4] = {0};
    MPI_Request request;
    MPI_Datatype row;
    MPI_Type_contiguous(2, MPI_DOUBLE, &row);
    MPI_Type_commit(&row);
    if (rank == 1) MPI_Send(d, 2, right ? row : MPI_LONG, 0, 7, world);
    if (rank == 0) {
        MPI_Irecv(d, 2, row, 1, 7, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&row);
}

struct pair {
    int i[2];
    double d[2];
};

/* Two integers and two reals, in another order. */
static MPI_Datatype record_type(int turned) {
    struct pair p;
    MPI_Datatype made, type;
    const int lengths[2] = {2, 2};
    const MPI_Aint places[2] = {turned ? 8 : 0, turned ? 0 : 8};
    const MPI_Datatype types[2] = {turned ? MPI_DOUBLE : MPI_INT, turned ? MPI_INT : MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_create_resized(made, 0, sizeof p, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&made);
    return type;
}

static void records(void) {
    struct pair p[3] = {0};
    MPI_Datatype mine = record_type(rank == 0 && !right);
    if (rank == 1) MPI_Send(p, 2, mine, 0, 7, world);
    /* There is room for more. */
    if (rank == 0) MPI_Recv(p, 3, mine, 1, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    MPI_Type_free(&mine);
}

/* Large, so that it is a rendezvous, and from anybody. */
static void large(void) {
    static double d[100000];
    if (rank == 1) MPI_Ssend(d, 100000, right ? MPI_DOUBLE : MPI_LONG, 0, 7, world);
    if (rank == 0) MPI_Recv(d, 100000, MPI_DOUBLE, MPI_ANY_SOURCE, 7, world, MPI_STATUS_IGNORE);
}

static void persistent(void) {
    int v[2] = {0};
    MPI_Request requests[2];
    if (rank == 1) {
        MPI_Send_init(v, 1, MPI_INT, 0, 7, world, &requests[0]);
        MPI_Send_init(v + 1, 1, right ? MPI_INT : MPI_FLOAT, 0, 8, world, &requests[1]);
    } else {
        MPI_Recv_init(v, 1, MPI_INT, 1, 7, world, &requests[0]);
        MPI_Recv_init(v + 1, 1, MPI_INT, 1, 8, world, &requests[1]);
    }
    for (int i = 0; i < 3; ++i) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void exchanged(void) {
    int v = rank;
    float f = 0;
    MPI_Sendrecv_replace(&v, 1, MPI_INT, 1 - rank, 7, 1 - rank, 7, world, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Sendrecv_replace(&v, 1, right ? MPI_INT : MPI_UNSIGNED, 0, 7, 0, 7, world,
                             MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv(&f, 1, right ? MPI_INT : MPI_UNSIGNED, 1, 7, &v, 1, MPI_INT, 1, 7, world,
                     MPI_STATUS_IGNORE);
}

static void both_at_once(void) {
    int v = 0, w = 0;
    MPI_Request request;
    MPI_Isendrecv(&v, 1, rank == 1 && !right ? MPI_FLOAT : MPI_INT, 1 - rank, 7, &w, 1, MPI_INT,
                  1 - rank, 7, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void probed(void) {
    int v = 0;
    MPI_Message message;
    if (rank == 1) MPI_Send(&v, 1, right ? MPI_INT : MPI_FLOAT, 0, 7, world);
    if (rank == 0) {
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&v, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

static void buffered(void) {
    int v = 0;
    char memory[1000];
    void* detached;
    int bytes;
    MPI_Buffer_attach(memory, sizeof memory);
    if (rank == 1) MPI_Bsend(&v, 1, right ? MPI_INT : MPI_FLOAT, 0, 7, world);
    if (rank == 0) MPI_Recv(&v, 1, MPI_INT, 1, 7, world, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &bytes);
}

/* Of a collective: records of the same length, in another order. */
static void collective(void) {
    struct pair p[3] = {0};
    MPI_Datatype mine = record_type(rank == 1 && !right);
    MPI_Bcast(p, 3, mine, 0, world);
    MPI_Type_free(&mine);
}

/* Many messages, taken in another order than they were sent in, are told apart. */
static void many(void) {
    static MPI_Request requests[200];
    static int v[200];
    for (int i = 0; i < 200; ++i)
        if (rank == 1)
            MPI_Isend(&v[i], 1, i % 2 == 0 || (!right && i == 77) ? MPI_INT : MPI_FLOAT, 0, i,
                      world, &requests[i]);
        else
            MPI_Irecv(&v[i], 1, (199 - i) % 2 == 0 ? MPI_INT : MPI_FLOAT, 1, 199 - i, world,
                      &requests[i]);
    MPI_Waitall(200, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(world);
}

const struct mistake of_types[] = {
    {"types-scalars", scalars},
    {"types-started", started},
    {"types-records", records},
    {"types-large", large},
    {"types-persistent", persistent},
    {"types-exchanged", exchanged},
    {"types-at-once", both_at_once},
    {"types-probed", probed},
    {"types-buffered", buffered},
    {"types-collective", collective},
    {"types-many", many},
    {NULL, NULL},
};
