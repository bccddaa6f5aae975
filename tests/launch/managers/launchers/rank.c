/* A rank that is told by its words what to do:
 *
 *   hello          prints who it is
 *   ring           sends a word around
 *   all            all ranks send to all, and the sums must be right
 *   abort R C      rank R calls MPI_Abort with code C, the others wait
 *   die R          rank R kills itself, the others wait
 *   wait R         the others wait for rank R, which waits for a signal; each prints its process
 *   leave R C      rank R calls exit(C) without MPI_Finalize, the others wait
 *   codes          each exits with its rank as code
 *   crash R        rank R dies after MPI_Finalize
 *   input R        ranks below R print the line that they read
 *   nested WORDS   rank 0 runs the words as a command
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static int number(int argc, char** argv, int at) {
    return at < argc ? atoi(argv[at]) : -1;
}

static void ring(void) {
    int word = 0;
    if (rank == 0) {
        word = 42;
        MPI_Send(&word, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    }
    MPI_Recv(&word, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++word;
    if (rank != 0) MPI_Send(&word, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("ring of %d: %d\n", size, word - 42);
}

static void all(void) {
    enum { most = 64, words = 1000 };
    static int to[most * words], from[most * words];
    for (int i = 0; i < size * words; ++i)
        to[i] = rank * 1000 + i / words;
    MPI_Alltoall(to, words, MPI_INT, from, words, MPI_INT, MPI_COMM_WORLD);
    long wrong = 0, all_wrong = 0;
    for (int i = 0; i < size * words; ++i)
        wrong += from[i] != i / words * 1000 + rank;
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("all of %d: %ld wrong\n", size, all_wrong);
}

/* Nobody sends this. */
static void wait_for_ever(void) {
    int word;
    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void input(int readers) {
    char line[256];
    if (rank < readers && fgets(line, sizeof line, stdin)) printf("rank %d read %s", rank, line);
}

static void nested(int argc, char** argv) {
    if (rank != 0 || argc < 3) return;
    const pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("nested: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "hello";
    const int who = number(argc, argv, 2);
    const int code = number(argc, argv, 3);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm node;
    int local = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &local);
    MPI_Comm_free(&node);
    if (!strcmp(what, "hello")) printf("rank %d of %d, %d on its node\n", rank, size, local);
    if (!strcmp(what, "ring")) ring();
    if (!strcmp(what, "all")) all();
    if (!strcmp(what, "input")) input(who);
    if (!strcmp(what, "nested")) nested(argc, argv);
    if (!strcmp(what, "abort")) {
        if (rank == who) {
            printf("about to abort");
            MPI_Abort(MPI_COMM_WORLD, code);
        }
        wait_for_ever();
    }
    if (!strcmp(what, "die")) {
        if (rank == who) raise(SIGKILL);
        wait_for_ever();
    }
    if (!strcmp(what, "leave")) {
        if (rank == who) exit(code);
        wait_for_ever();
    }
    if (!strcmp(what, "wait")) {
        printf("rank %d is process %d\n", rank, (int)getpid());
        fflush(stdout);
        wait_for_ever();
    }
    MPI_Finalize();
    if (!strcmp(what, "crash") && rank == who) raise(SIGKILL);
    return !strcmp(what, "codes") ? rank : 0;
}
