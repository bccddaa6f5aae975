#pragma once
/// The document of results that railyard reads: written beside its file while it grows, and put in
/// the file's place when it is whole.

#include <stdio.h>

#include "suite.h"

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
