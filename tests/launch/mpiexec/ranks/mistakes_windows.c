/* Windows: every operation in no epoch, and in each kind of epoch, on each kind of window. What is
 * not as it should be is printed. */

#include <stdio.h>
#include <string.h>

#include "mistakes.h"

static MPI_Win win;
static MPI_Aint base; /* of the target's memory: an address in a dynamic window */
static int value[2], result[2];
static const int one = 1;
static MPI_Request request = MPI_REQUEST_NULL;

/* To rank 0, all of them. */
static int put(void) {
    return MPI_Put(value, 1, MPI_INT, 0, base, 1, MPI_INT, win);
}
static int get(void) {
    return MPI_Get(result, 1, MPI_INT, 0, base, 1, MPI_INT, win);
}
static int accumulate(void) {
    return MPI_Accumulate(value, 1, MPI_INT, 0, base, 1, MPI_INT, MPI_SUM, win);
}
static int get_accumulate(void) {
    return MPI_Get_accumulate(value, 1, MPI_INT, result, 1, MPI_INT, 0, base, 1, MPI_INT, MPI_SUM,
                              win);
}
static int fetch_and_op(void) {
    return MPI_Fetch_and_op(value, result, MPI_INT, 0, base, MPI_SUM, win);
}
static int compare_and_swap(void) {
    return MPI_Compare_and_swap(value, &one, result, MPI_INT, 0, base, win);
}
/* Those with requests are of locks only. */
static int rput(void) {
    return MPI_Rput(value, 1, MPI_INT, 0, base, 1, MPI_INT, win, &request);
}
static int rget(void) {
    return MPI_Rget(result, 1, MPI_INT, 0, base, 1, MPI_INT, win, &request);
}
static int raccumulate(void) {
    return MPI_Raccumulate(value, 1, MPI_INT, 0, base, 1, MPI_INT, MPI_SUM, win, &request);
}
static int rget_accumulate(void) {
    return MPI_Rget_accumulate(value, 1, MPI_INT, result, 1, MPI_INT, 0, base, 1, MPI_INT, MPI_SUM,
                               win, &request);
}
static int flush(void) {
    return MPI_Win_flush(0, win);
}
static int flush_local(void) {
    return MPI_Win_flush_local(0, win);
}
static int flush_all(void) {
    return MPI_Win_flush_all(win);
}
static int flush_local_all(void) {
    return MPI_Win_flush_local_all(win);
}
/* What ends an epoch that was not begun. */
static int complete(void) {
    return MPI_Win_complete(win);
}
static int wait_(void) {
    return MPI_Win_wait(win);
}
static int test_(void) {
    int flag;
    return MPI_Win_test(win, &flag);
}
static int unlock(void) {
    return MPI_Win_unlock(0, win);
}
static int unlock_all(void) {
    return MPI_Win_unlock_all(win);
}

enum where { any, of_locks, end };
static const struct {
    const char* name;
    int (*call)(void);
    enum where in;
} operations[] = {
    {"MPI_Put", put, any},
    {"MPI_Get", get, any},
    {"MPI_Accumulate", accumulate, any},
    {"MPI_Get_accumulate", get_accumulate, any},
    {"MPI_Fetch_and_op", fetch_and_op, any},
    {"MPI_Compare_and_swap", compare_and_swap, any},
    {"MPI_Rput", rput, of_locks},
    {"MPI_Rget", rget, of_locks},
    {"MPI_Raccumulate", raccumulate, of_locks},
    {"MPI_Rget_accumulate", rget_accumulate, of_locks},
    {"MPI_Win_flush", flush, of_locks},
    {"MPI_Win_flush_local", flush_local, of_locks},
    {"MPI_Win_flush_all", flush_all, of_locks},
    {"MPI_Win_flush_local_all", flush_local_all, of_locks},
    {"MPI_Win_complete", complete, end},
    {"MPI_Win_wait", wait_, end},
    {"MPI_Win_test", test_, end},
    {"MPI_Win_unlock", unlock, end},
    {"MPI_Win_unlock_all", unlock_all, end},
};

enum epoch { none, fence, started, locked, locked_all };

static void try_all(enum epoch epoch, const char* where) {
    for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
        if (epoch != none && operations[i].in == end) continue;
        const int may = epoch != none && (operations[i].in == any || epoch >= locked);
        int found = MPI_SUCCESS;
        MPI_Error_class(operations[i].call(), &found);
        if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (found != (may ? MPI_SUCCESS : MPI_ERR_RMA_SYNC))
            printf("%s %s: %d\n", operations[i].name, where, found);
    }
}

static void in_epochs(void) {
    MPI_Group all, to, from;
    const int zero = 0, first = 1;
    try_all(none, "outside");
    MPI_Win_fence(0, win);
    try_all(fence, "between fences");
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    try_all(none, "after the last fence");
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &zero, &to);
    MPI_Group_incl(all, 1, &first, &from);
    if (rank == 0) {
        MPI_Win_post(from, 0, win);
        if (put() == MPI_SUCCESS) puts("MPI_Put in an exposure epoch");
        MPI_Win_wait(win);
    } else if (rank == 1) {
        MPI_Win_start(to, 0, win);
        try_all(started, "after MPI_Win_start");
        MPI_Win_complete(win);
    }
    try_all(none, "after MPI_Win_complete");
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Group_free(&all);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    try_all(locked, "after MPI_Win_lock");
    MPI_Win_unlock(0, win);
    MPI_Win_lock_all(0, win);
    try_all(locked_all, "after MPI_Win_lock_all");
    MPI_Win_unlock_all(win);
    try_all(none, "after MPI_Win_unlock_all");
    MPI_Barrier(world);
}

static void each(void) {
    static int memory[2];
    int* place = NULL;
    for (int kind = 0; kind < 4; ++kind) {
        base = 0;
        if (kind == 0)
            MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, world, &win);
        else if (kind == 1)
            MPI_Win_allocate(sizeof memory, 1, MPI_INFO_NULL, world, &place, &win);
        else if (kind == 2)
            MPI_Win_allocate_shared(sizeof memory, 1, MPI_INFO_NULL, world, &place, &win);
        else {
            MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win);
            MPI_Win_attach(win, memory, sizeof memory);
            MPI_Get_address(memory, &base);
            MPI_Bcast(&base, 1, MPI_AINT, 0, world);
        }
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        in_epochs();
        if (kind == 3) MPI_Win_detach(win, memory);
        MPI_Win_free(&win);
    }
}

static void in_no_epoch(void) {
    int memory = 0;
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, world, &win);
    if (right) MPI_Win_fence(0, win);
    if (rank == 1) put();
    if (right) MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

/* Of another type there than here: 0 a put, 1 a get, 2 an accumulate, 3 a fetch of many. */
static void of_type(int operation) {
    static int memory[8];
    int here[8] = {0}, result[8] = {0};
    /* The same in another form. */
    MPI_Datatype pairs;
    MPI_Type_vector(2, 2, 4, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    const MPI_Datatype there = right ? MPI_INT : MPI_FLOAT;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, world, &win);
    MPI_Win_set_name(win, "win");
    MPI_Win_fence(0, win);
    if (rank == 1 && operation == 0) MPI_Put(here, 1, pairs, 0, 0, 4, there, win);
    if (rank == 1 && operation == 1) MPI_Get(here, 1, pairs, 0, 0, 4, there, win);
    if (rank == 1 && operation == 2) MPI_Accumulate(here, 4, MPI_INT, 0, 0, 4, there, MPI_SUM, win);
    if (rank == 1 && operation == 3)
        MPI_Get_accumulate(NULL, 0, MPI_BYTE, result, 4, MPI_INT, 0, 0, 4, there, MPI_NO_OP, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Type_free(&pairs);
}

static void put_type(void) {
    of_type(0);
}
static void get_type(void) {
    of_type(1);
}
static void accumulate_type(void) {
    of_type(2);
}
static void fetch_type(void) {
    of_type(3);
}

const struct mistake of_windows[] = {
    {"types-put", put_type},
    {"types-get", get_type},
    {"types-accumulate", accumulate_type},
    {"types-fetch", fetch_type},
    {"window", in_no_epoch},
    {"windows", each},
    {NULL, NULL},
};
