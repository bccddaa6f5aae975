/* C's half of both.f90. */
#include <mpi.h>

int c_reads_attribute(int comm, int keyval) {
    MPI_Aint* value = 0;
    int flag = 0;
    MPI_Comm_get_attr(MPI_Comm_f2c(comm), keyval, &value, &flag);
    return flag ? (int)*value : -1;
}

int c_reads_short_attribute(int comm, int keyval) {
    int* value = 0;
    int flag = 0;
    MPI_Comm_get_attr(MPI_Comm_f2c(comm), keyval, &value, &flag);
    return flag ? *value : 0;
}

MPI_Aint c_sets_attribute(int comm, int keyval) {
    static int place;
    MPI_Comm_set_attr(MPI_Comm_f2c(comm), keyval, &place);
    return (MPI_Aint)&place;
}

/* An integer of Fortran's is given by its address; what C makes of it is a pointer. */
static int increments(MPI_Comm comm, int keyval, void* state, void* in, void* out, int* flag) {
    (void)comm, (void)keyval, (void)state;
    *(MPI_Aint*)out = *(MPI_Aint*)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

int c_makes_key(int same) {
    int keyval;
    MPI_Comm_create_keyval(same ? MPI_COMM_DUP_FN : increments, MPI_COMM_NULL_DELETE_FN, &keyval, 0);
    return keyval;
}

static int handled = 0;

static void handles(MPI_Comm* comm, int* code, ...) {
    (void)code;
    handled = MPI_Comm_c2f(*comm);
}

int c_handler(void) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(handles, &handler);
    return MPI_Errhandler_c2f(handler);
}

int c_handled(void) {
    return handled;
}

int c_reduces(int op) {
    int two = 2, product = 0;
    MPI_Allreduce(&two, &product, 1, MPI_INT, MPI_Op_f2c(op), MPI_COMM_WORLD);
    return product;
}

int c_source(const MPI_Fint* status) {
    MPI_Status c_status;
    MPI_Status_f2c((MPI_Fint*)status, &c_status);
    return c_status.MPI_SOURCE;
}

void c_status(MPI_Fint* status) {
    MPI_Status c_status = {0};
    c_status.MPI_TAG = 77;
    MPI_Status_set_elements(&c_status, MPI_INT, 9);
    MPI_Status_c2f(&c_status, status);
}

int c_is_ignored(MPI_Fint* status) {
    return status == MPI_F_STATUS_IGNORE;
}
