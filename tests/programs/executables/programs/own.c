/* What a process has for itself, ranks in virtual time have, too: each prints one line of it, in
 * pieces, with the others in between. */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int initialised = 5;
static int zeroed[100000];
static __thread int of_thread = 7;
static __thread int of_thread_zeroed;

static void others(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    int rank, option, size = 0, verbose = 0;
    char* name = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static const struct option longs[] = {
        {"size", required_argument, NULL, 's'}, {"verbose", no_argument, NULL, 'v'}, {0}};
    while ((option = getopt_long(argc, argv, "s:vn:", longs, NULL)) != -1) {
        others();
        if (option == 's') size = atoi(optarg);
        if (option == 'v') ++verbose;
        if (option == 'n') name = optarg;
    }
    initialised += rank;
    zeroed[50000] += rank;
    of_thread += rank;
    of_thread_zeroed += rank;
    srand((unsigned)rank);
    char words[64];
    snprintf(words, sizeof words, "a%d b%d c%d", rank, rank, rank);
    printf("rank %d: size %d, verbose %d, name %s, then %s;", rank, size, verbose, name,
           optind < argc ? argv[optind] : "nothing");
    errno = rank;
    usleep(1000); /* others run; and unlike MPI it leaves errno alone */
    printf(" errno %d;", errno);
    others();
    printf(" %d %d %d %d;", initialised, zeroed[50000], of_thread, of_thread_zeroed);
    for (char* word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        others();
        printf(" %s", word);
    }
    const int first = rand();
    others();
    srand((unsigned)rank);
    printf("; rand %s;", rand() == first ? "its own" : "WRONG");
    char value[16];
    snprintf(value, sizeof value, "%d", rank);
    setenv("OWN", value, 1);
    if (rank == 1) setlocale(LC_ALL, "C.UTF-8");
    others();
    printf(" OWN=%s, locale %s", getenv("OWN"), setlocale(LC_CTYPE, NULL));
    others();
    printf("\n");
    MPI_Finalize();
    return 0;
}
