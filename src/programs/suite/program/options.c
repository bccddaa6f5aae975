#include "program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char usage_text[] =
    "Usage: mpiexec -n 2 railyard-mpi-suite [OPTION...]\n"
    "Measures an MPI library and writes the results as one document for railyard.\n"
    "  --list              lists the procedures\n"
    "  --only NAME,...     runs these alone\n"
    "  --sizes SIZE,...    of messages, such as 0,8,4K,1M; the default depends on the procedure\n"
    "  --iterations N      repetitions of each measurement (default: 10000)\n"
    "  --quick             200 repetitions: a first look\n"
    "  --label NAME        what the rows call this MPI (default: its library's name)\n"
    "  --output FILE       where the document goes (default: standard output)\n"
    "  --help              shows this\n";

enum { usual_iterations = 10000, quick_iterations = 200 };

static void complain(struct options* options, const char* format, const char* word) {
    if (options->complaint[0] != '\0') return;
    snprintf(options->complaint, sizeof options->complaint, format, word);
}

/* "4096", "4K", "1M"; -1 if it is no size, or one that an int does not hold. */
static long long size_of(const char* text) {
    char* end = NULL;
    if (text[0] < '0' || text[0] > '9') return -1;
    long long size = strtoll(text, &end, 10);
    if (size > INT_MAX) return -1;
    if (*end == 'k' || *end == 'K') {
        size <<= 10;
        ++end;
    } else if (*end == 'm' || *end == 'M') {
        size <<= 20;
        ++end;
    }
    return *end == '\0' && size <= INT_MAX ? size : -1;
}

/* Calls `take` with every word between commas. */
static void for_words(struct options* options, const char* list,
                      void (*take)(struct options* options, const char* word)) {
    char word[64];
    for (const char* next = list; next != NULL;) {
        const char* const comma = strchr(next, ',');
        const size_t length = comma != NULL ? (size_t)(comma - next) : strlen(next);
        snprintf(word, sizeof word, "%.*s", (int)length, next);
        take(options, word);
        next = comma != NULL ? comma + 1 : NULL;
    }
}

static void take_size(struct options* options, const char* word) {
    const long long size = size_of(word);
    if (size < 0)
        complain(options, "--sizes: expected sizes below 2G such as 0,8,4K,1M, found '%s'", word);
    else if (options->size_count == most_sizes)
        complain(options, "--sizes: too many of them at '%s'; give 100 at most", word);
    else
        options->sizes[options->size_count++] = size;
}

static void check_name(struct options* options, const char* word) {
    int count = 0;
    const struct suite_experiment* const all = suite_experiments(&count);
    for (int i = 0; i < count; ++i)
        if (strcmp(all[i].name, word) == 0) return;
    complain(options, "--only: there is no procedure '%s'; --list shows those that there are",
             word);
}

static void take_iterations(struct options* options, const char* text) {
    char* end = NULL;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > 1000000000)
        complain(options, "--iterations: expected a number from 1 on, found '%s'", text);
    else
        options->iterations = (int)value;
}

static void take_value(struct options* options, const char* name, const char* value) {
    if (strcmp(name, "--only") == 0) {
        options->only = value;
        for_words(options, value, check_name);
    } else if (strcmp(name, "--sizes") == 0) {
        options->size_count = 0;
        for_words(options, value, take_size);
    } else if (strcmp(name, "--iterations") == 0) {
        take_iterations(options, value);
    } else if (strcmp(name, "--label") == 0) {
        options->label = value;
    } else {
        options->output = value;
    }
}

static int has_value(const char* word) {
    static const char* const names[] = {"--only", "--sizes", "--iterations", "--label", "--output"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(names[i], word) == 0) return 1;
    return 0;
}

static void take_word(struct options* options, const char* word) {
    if (strcmp(word, "--list") == 0)
        options->list = 1;
    else if (strcmp(word, "--help") == 0)
        options->help = 1;
    else if (strcmp(word, "--quick") == 0)
        options->iterations = quick_iterations;
    else
        complain(options, "'%s' is not understood; see --help", word);
}

void read_options(struct options* options, int argc, char** argv) {
    memset(options, 0, sizeof *options);
    options->iterations = usual_iterations;
    for (int i = 1; i < argc; ++i) {
        char name[32];
        const char* const equals = strchr(argv[i], '=');
        const size_t length = equals != NULL ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        snprintf(name, sizeof name, "%.*s", (int)length, argv[i]);
        if (!has_value(name))
            take_word(options, argv[i]);
        else if (equals != NULL)
            take_value(options, name, equals + 1);
        else if (i + 1 < argc)
            take_value(options, name, argv[++i]);
        else
            complain(options, "%s: a value is missing behind it; see --help", name);
    }
}

int is_wanted(const struct options* options, const char* name) {
    const size_t length = strlen(name);
    if (options->only == NULL) return 1;
    for (const char* at = strstr(options->only, name); at != NULL; at = strstr(at + 1, name)) {
        const int begins = at == options->only || at[-1] == ',';
        if (begins && (at[length] == ',' || at[length] == '\0')) return 1;
    }
    return 0;
}
