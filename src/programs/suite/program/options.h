#pragma once
/// The command line of railyard-mpi-suite.

enum { most_sizes = 100 };

struct options {
    const char* only;   /* names between commas; null: all */
    const char* label;  /* null: made of the library's name */
    const char* output; /* null: standard output */
    long long sizes[most_sizes];
    int size_count;      /* 0: each procedure's own */
    int iterations;      /* of a measurement, all batches together */
    int list, help;      /* asked for in place of measuring */
    char complaint[200]; /* empty if all is well */
};

extern const char usage_text[];

void read_options(struct options* options, int argc, char** argv);
/* Whether --only leaves that name in. */
int is_wanted(const struct options* options, const char* name);
