/* A walk through the interface that gives the same answers on every library of the ABI. Compiled
 * with one header and run on another's library. Says what is wrong, or "tour: N ranks". */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void check(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "tour: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void ring(void) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int in = -1, count = -1;
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    check(in == (rank + size - 1) % size, "ring: number");
    check(statuses[0].MPI_SOURCE == in && statuses[0].MPI_TAG == 7 && count == 1, "ring: status");
    check(requests[0] == MPI_REQUEST_NULL, "ring: request");
}

static void columns(void) {
    double matrix[4][6], column[4];
    MPI_Datatype type;
    MPI_Status status;
    int i, j, elements;
    for (i = 0; i < 4; ++i)
        for (j = 0; j < 6; ++j)
            matrix[i][j] = 10 * i + j;
    MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(&matrix[0][2], 1, type, rank, 1, column, 4, MPI_DOUBLE, MPI_ANY_SOURCE,
                 MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_elements(&status, MPI_DOUBLE, &elements);
    check(elements == 4 && column[3] == 32, "columns");
    MPI_Type_free(&type);
    check(type == MPI_DATATYPE_NULL, "columns: freed");
}

static void last_wins(void* in, void* inout, int* length, MPI_Datatype* type) {
    (void)in, (void)inout, (void)length, (void)type;
}

static void reductions(void) {
    struct {
        double value;
        int place;
    } best;
    int sum = 0, last = rank;
    MPI_Op op;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sum == size * (size - 1) / 2, "sum");
    best.value = -rank;
    best.place = rank;
    MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    check(best.place == size - 1, "minloc");
    MPI_Op_create(last_wins, 0, &op);
    MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, op, MPI_COMM_WORLD);
    check(last == size - 1, "user operation");
    MPI_Op_free(&op);
}

static void communicators(void) {
    MPI_Comm half, dup;
    int key, flag, half_size, expected = (size + 1 - rank % 2) / 2, *tag_ub;
    void* value;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_size(half, &half_size);
    check(half_size == expected, "split");
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(half, key, &rank);
    MPI_Comm_dup(half, &dup);
    MPI_Comm_get_attr(dup, key, &value, &flag);
    check(flag && value == &rank, "attribute of the duplicate");
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&half);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &flag);
    check(flag && *tag_ub >= 32767, "tag_ub");
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &flag);
    check(strcmp(name, "MPI_COMM_WORLD") == 0, "name");
}

static void errors(void) {
    int code, class, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Send(&rank, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    check(class == MPI_ERR_RANK, "class of a wrong rank");
    MPI_Error_string(code, text, &length);
    check(length > 0 && (int)strlen(text) == length, "text of a wrong rank");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
    int version, subversion;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_version(&version, &subversion);
    check(version >= 3, "version");
    ring();
    columns();
    reductions();
    communicators();
    errors();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("tour: %d ranks\n", size);
    MPI_Finalize();
    return 0;
}
