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

/* Cut otherwise on either side; of two such messages the second is wrong. */
static void partitioned(void) {
    static float f[2][24];
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i)
        if (rank == 1)
            MPI_Psend_init(f[i], 4, 6, MPI_FLOAT, 0, 5, world, MPI_INFO_NULL, &requests[i]);
        else
            MPI_Precv_init(f[i], 3, 8, right || i == 0 ? MPI_FLOAT : MPI_INT, 1, 5, world,
                           MPI_INFO_NULL, &requests[i]);
    for (int round = 0; round < 2; ++round) {
        MPI_Startall(2, requests);
        for (int i = 0; rank == 1 && i < 2; ++i)
            MPI_Pready_range(0, 3, requests[i]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2; ++i)
        MPI_Request_free(&requests[i]);
}

/* All ranks in a ring. */
static MPI_Comm ring_of_all(void) {
    const int dims = size, periods = 1;
    MPI_Comm ring;
    MPI_Cart_create(world, 1, &dims, &periods, 0, &ring);
    MPI_Comm_set_name(ring, "ring");
    return ring;
}

static void neighbours(void) {
    int out[4] = {0}, in[4] = {0};
    MPI_Comm ring = ring_of_all();
    MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, rank == 1 && !right ? MPI_FLOAT : MPI_INT, ring);
    MPI_Comm_free(&ring);
}

/* What goes down is of another type than what goes up, so that each place has its own. */
static void neighbours_by_place(void) {
    char out[16] = {0}, in[16] = {0};
    const int counts[2] = {1, 1};
    const MPI_Aint places[2] = {0, 8};
    const MPI_Datatype down_up[2] = {MPI_LONG, MPI_DOUBLE}, up_down[2] = {MPI_DOUBLE, MPI_LONG};
    MPI_Request request;
    MPI_Comm ring = ring_of_all();
    /* From below comes what went up. */
    MPI_Ineighbor_alltoallw(out, counts, places, down_up, in, counts, places,
                            rank == 1 && !right ? down_up : up_down, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(ring);
    MPI_Comm_free(&ring);
}

static void neighbours_lengths(void) {
    int out[4] = {0}, in[8] = {0};
    const int counts[2] = {2, rank == 0 && !right ? 1 : 2}, places[2] = {0, 4};
    MPI_Comm ring = ring_of_all();
    MPI_Neighbor_allgatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, ring);
    MPI_Comm_free(&ring);
}

/* The second counts on an edge more than the first knows of. */
static void neighbours_edges(void) {
    int out[2] = {0}, in[2] = {0};
    const int others[2] = {1 - rank, 1 - rank};
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(world, rank == 1 && !right ? 2 : 1, others, MPI_UNWEIGHTED, 1,
                                   others, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, graph);
    MPI_Comm_free(&graph);
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
    {"types-partitioned", partitioned},
    {"types-neighbours", neighbours},
    {"types-neighbours-by-place", neighbours_by_place},
    {"types-neighbours-lengths", neighbours_lengths},
    {"types-neighbours-edges", neighbours_edges},
    {NULL, NULL},
};
