/* railyard-mpi-suite: runs the procedures on whatever MPI it was built with, and writes their rows
   for railyard to show beside others. */
#define _POSIX_C_SOURCE 200809L

#include <ctype.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

enum { exit_failure = 1, exit_usage = 2, tag_done = 9 };

/* What rank 0 needs for a row. */
struct writer {
    struct document document;
    const char* experiment;
    const char* procedure;
    const char* label;
    int shows_progress;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void emit(void* to, const struct suite_row* row) {
    struct writer* const writer = to;
    write_row(&writer->document, writer->experiment, writer->label, row);
}

static void progress(void* to, const char* what) {
    const struct writer* const writer = to;
    if (writer->shows_progress) fprintf(stderr, "\r\033[K%s: %s", writer->procedure, what);
}

/* "mpich", "openmpi": a word for the library, from its own text. */
static void name_library(const char* version, char* name, size_t room) {
    static const char* const known[][2] = {{"Railyard", "railyard"}, {"Open MPI", "openmpi"},
                                           {"MVAPICH", "mvapich"},   {"Intel", "intelmpi"},
                                           {"CRAY", "craympi"},      {"MPICH", "mpich"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (strstr(version, known[i][0]) == NULL) continue;
        snprintf(name, room, "%s", known[i][1]);
        return;
    }
    size_t length = 0;
    for (; isalnum((unsigned char)version[length]) && length + 1 < room; ++length)
        name[length] = (char)tolower((unsigned char)version[length]);
    name[length] = '\0';
    if (length == 0) snprintf(name, room, "mpi");
}

static void list_procedures(void) {
    int count = 0;
    const struct suite_experiment* const all = suite_experiments(&count);
    for (int i = 0; i < count; ++i)
        printf("%-28s %s\n", all[i].name, all[i].summary);
}

/* Ranks that only look on sleep until rank 0 calls them: a spinning one would be in the way. */
static void wait_for_the_pair(int rank, int size) {
    if (rank == 0) {
        for (int other = 1; other < size - 1; ++other)
            MPI_Send(NULL, 0, MPI_BYTE, other, tag_done, MPI_COMM_WORLD);
    } else if (rank < size - 1) {
        const struct timespec nap = {0, 1000000};
        int done = 0;
        while (!done) {
            nanosleep(&nap, NULL);
            MPI_Iprobe(0, tag_done, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
        }
        MPI_Recv(NULL, 0, MPI_BYTE, 0, tag_done, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void run(const struct suite_experiment* experiment, const struct options* options,
                struct suite_request* request, int rank, int size) {
    if (size < experiment->least_ranks) {
        if (rank == 0)
            fprintf(stderr, "%s: left out, for it needs %d ranks and there are %d\n",
                    experiment->name, experiment->least_ranks, size);
        return;
    }
    struct writer* const writer = request->to;
    writer->experiment = experiment->experiment;
    writer->procedure = experiment->name;
    request->sizes = options->size_count > 0 ? options->sizes : experiment->sizes;
    request->size_count = options->size_count > 0 ? options->size_count : experiment->size_count;
    request->window = experiment->window;
    /* An iteration of windows is many messages. */
    int total = experiment->window > 0 ? options->iterations / 10 : options->iterations;
    if (total < 1) total = 1;
    request->batches = total < 20 ? total : 20;
    request->iterations = total / request->batches;
    request->warmup = (total + 9) / 10;
    experiment->run(request);
    if (experiment->most_ranks != 0 && size > experiment->most_ranks) wait_for_the_pair(rank, size);
}

/* Rank 0 says whether it could; all hear it. */
static int agreed(int error, int rank, const char* path) {
    if (rank == 0 && error != 0)
        fprintf(stderr, "railyard-mpi-suite: cannot write '%s': %s\n",
                path != NULL ? path : "standard output", strerror(error));
    MPI_Bcast(&error, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return error == 0;
}

static int measure(const struct options* options, double init_seconds, int rank, int size) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    char name[32];
    int length = 0;
    MPI_Get_library_version(version, &length);
    name_library(version, name, sizeof name);

    struct writer writer = {.label = options->label != NULL ? options->label : name,
                            .shows_progress = isatty(STDERR_FILENO)};
    const int opened = rank == 0 ? open_document(&writer.document, options->output, version) : 0;
    if (!agreed(opened, rank, options->output)) return exit_failure;

    struct suite_request request = {
        .init_seconds = init_seconds, .emit = emit, .progress = progress, .to = &writer};
    int count = 0;
    const struct suite_experiment* const all = suite_experiments(&count);
    for (int i = 0; i < count; ++i)
        if (is_wanted(options, all[i].name)) run(&all[i], options, &request, rank, size);

    if (rank == 0 && writer.shows_progress) fputs("\r\033[K", stderr);
    const int closed = rank == 0 ? close_document(&writer.document) : 0;
    return agreed(closed, rank, options->output) ? 0 : exit_failure;
}

int main(int argc, char** argv) {
    const double start = now();
    MPI_Init(&argc, &argv);
    const double init_seconds = now() - start;
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    struct options options;
    read_options(&options, argc, argv);
    int code = 0;
    if (options.complaint[0] != '\0') {
        if (rank == 0) fprintf(stderr, "railyard-mpi-suite: %s\n", options.complaint);
        code = exit_usage;
    } else if (options.help) {
        if (rank == 0) fputs(usage_text, stdout);
    } else if (options.list) {
        if (rank == 0) list_procedures();
    } else {
        code = measure(&options, init_seconds, rank, size);
    }
    MPI_Finalize();
    return code;
}
