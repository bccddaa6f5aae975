#define _DEFAULT_SOURCE

#include "program.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifndef RAILYARD_VERSION
#define RAILYARD_VERSION "unknown"
#endif

static void put_text(FILE* file, const char* text) {
    fputc('"', file);
    for (const unsigned char* c = (const unsigned char*)text; *c != '\0'; ++c) {
        if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else
            fprintf(file, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    }
    fputc('"', file);
}

/* The shortest of two forms that reads back as the same number. JSON has no word for infinity. */
static void put_number(FILE* file, double number) {
    char text[40];
    snprintf(text, sizeof text, "%.15g", number);
    if (strtod(text, NULL) != number) snprintf(text, sizeof text, "%.17g", number);
    fputs(isfinite(number) ? text : "null", file);
}

static void put_field(FILE* file, const char* name, const char* text) {
    fprintf(file, "    \"%s\": ", name);
    put_text(file, text);
    fputs(",\n", file);
}

static void put_date(FILE* file) {
    char date[32];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(file, "    \"date\": \"%s\"\n", date);
}

/* What the system does not tell every program is 0, or "unknown". */
static void put_machine(FILE* file, const char* library) {
    struct utsname name;
    char kernel[3 * sizeof name.sysname + 3] = "unknown";
    if (uname(&name) == 0)
        snprintf(kernel, sizeof kernel, "%s %s %s", name.sysname, name.release, name.machine);
    fputs("  \"machine\": {\n", file);
    put_field(file, "mpi", library);
    put_field(file, "cpu", "unknown");
    fprintf(file, "    \"cores\": 0,\n    \"threads\": %ld,\n", sysconf(_SC_NPROCESSORS_ONLN));
    fputs("    \"l1d_bytes\": 0,\n    \"l2_bytes\": 0,\n    \"l3_bytes\": 0,\n", file);
    fprintf(file, "    \"memory_bytes\": %lld,\n",
            (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    put_field(file, "kernel", kernel);
    put_field(file, "governor", "unknown");
    put_field(file, "version", RAILYARD_VERSION);
    put_field(file, "revision", "unknown");
#ifdef __VERSION__
    put_field(file, "compiler", __VERSION__);
#else
    put_field(file, "compiler", "unknown");
#endif
    put_date(file);
    fputs("  },\n", file);
}

int open_document(struct document* document, const char* path, const char* library) {
    document->path = path;
    document->rows = 0;
    document->file = stdout;
    if (path != NULL) {
        const int length = snprintf(document->part, sizeof document->part, "%s.part", path);
        if (length >= (int)sizeof document->part) return ENAMETOOLONG;
        struct stat there;
        if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) return EISDIR;
        document->file = fopen(document->part, "w");
        if (document->file == NULL) return errno;
    }
    fputs("{\n  \"schema\": 1,\n", document->file);
    put_machine(document->file, library);
    fputs("  \"rows\": [", document->file);
    return 0;
}

static void put_parameters(FILE* file, const struct suite_row* row) {
    for (int i = 0; i < row->parameter_count; ++i) {
        const struct suite_parameter* const parameter = &row->parameters[i];
        fprintf(file, "%s\"%s\":", i > 0 ? "," : "", parameter->name);
        if (parameter->text != NULL)
            put_text(file, parameter->text);
        else
            fprintf(file, "%lld", parameter->number);
    }
}

void write_row(struct document* document, const char* experiment, const char* label,
               const struct suite_row* row) {
    FILE* const file = document->file;
    fprintf(file, "%s\n    {\"experiment\":\"%s\",\"fabric\":", document->rows++ > 0 ? "," : "",
            experiment);
    put_text(file, label);
    fputs(",\"parameters\":{", file);
    put_parameters(file, row);
    fprintf(file, "},\"metric\":\"%s\",\"unit\":\"%s\",\"samples\":[", row->metric, row->unit);
    for (int i = 0; i < row->sample_count; ++i) {
        if (i > 0) fputc(',', file);
        put_number(file, row->samples[i]);
    }
    fputs("]}", file);
}

int close_document(struct document* document) {
    fputs(document->rows > 0 ? "\n  ]\n}\n" : "]\n}\n", document->file);
    if (document->path == NULL) return fflush(stdout) == 0 ? 0 : errno;
    const int written = ferror(document->file) == 0;
    if (fclose(document->file) == 0 && written && rename(document->part, document->path) == 0)
        return 0;
    const int error = errno;
    remove(document->part);
    return error;
}
