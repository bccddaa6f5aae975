/* A program without MPI_Init: twice a session, a communicator of all processes, and an
 * inter-communicator of its two halves. Ends without a word, as MPI has it. */

#include <mpi.h>
#include <stdio.h>

#define CHECK(what)                                                      \
    do {                                                                 \
        if (!(what)) {                                                   \
            fprintf(stderr, "sessions: line %d: %s\n", __LINE__, #what); \
            return 1;                                                    \
        }                                                                \
    } while (0)

static int use_halves(MPI_Group all, int rank, int size) {
    MPI_Group halves[2];
    MPI_Comm inter;
    int ranges[2][1][3] = {{{0, size / 2 - 1, 1}}, {{size / 2, size - 1, 1}}};
    int mine = rank < size / 2 ? 0 : 1, remote, sum = 0, value = 1;
    for (int i = 0; i < 2; ++i)
        MPI_Group_range_incl(all, 1, ranges[i], &halves[i]);
    CHECK(MPI_Intercomm_create_from_groups(halves[mine], 0, halves[1 - mine], 0, "halves",
                                           MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                           &inter) == MPI_SUCCESS);
    MPI_Comm_remote_size(inter, &remote);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, inter);
    CHECK(sum == remote && remote == (mine == 0 ? size - size / 2 : size / 2));
    MPI_Comm_free(&inter);
    for (int i = 0; i < 2; ++i)
        MPI_Group_free(&halves[i]);
    return 0;
}

static int use_session(int time) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, size, sum = 0, flag = 1;
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) == MPI_SUCCESS);
    MPI_Initialized(&flag);
    CHECK(flag == 0);
    CHECK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
    CHECK(MPI_Comm_create_from_group(group, "railyard.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                     &comm) == MPI_SUCCESS);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == size * (size - 1) / 2);
    if (size > 1 && use_halves(group, rank, size) != 0) return 1;
    if (rank == 0) printf("sessions: %d ranks, time %d\n", size, time);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS && session == MPI_SESSION_NULL);
    return 0;
}

int main(void) {
    return use_session(1) != 0 || use_session(2) != 0;
}
