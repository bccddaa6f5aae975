#pragma once
/// The parts of railyard-mpi-suite: its command line, and the document of results that railyard
/// reads.

#include <stdio.h>

#include "suite.h"

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

/* Written beside its file while it grows, and put in the file's place when it is whole. */
struct document {
    FILE* file;
    const char* path; /* null: standard output */
    char part[4096];  /* the name while it grows */
    int rows;
};

/* 0, or what errno says. `library` is MPI's own word for itself. */
int open_document(struct document* document, const char* path, const char* library);
void write_row(struct document* document, const char* experiment, const char* label,
               const struct suite_row* row);
int close_document(struct document* document);
