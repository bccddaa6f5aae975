/* Loads the MPI library late, as interpreters and plug-ins do: it must fit into what the C library
 * has set aside for the thread-local memory of latecomers, of which each may take a little. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { most = 256 };

static size_t thread_local_bytes(const struct dl_phdr_info* library) {
    for (int i = 0; i < library->dlpi_phnum; ++i)
        if (library->dlpi_phdr[i].p_type == PT_TLS) return library->dlpi_phdr[i].p_memsz;
    return 0;
}

static int look(struct dl_phdr_info* library, size_t size, void* found) {
    (void)size;
    if (strstr(library->dlpi_name, "libmpi.so.12") == NULL) return 0;
    *(size_t*)found = thread_local_bytes(library);
    return 1;
}

int main(void) {
    int (*init)(int*, char***);
    int (*finalize)(void);
    size_t bytes = most + 1;
    void* library = dlopen("libmpi.so.12", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    dl_iterate_phdr(look, &bytes);
    if (bytes > most) {
        fprintf(stderr, "%zu bytes of thread-local memory, more than %d\n", bytes, most);
        return 1;
    }
    *(void**)&init = dlsym(library, "MPI_Init");
    *(void**)&finalize = dlsym(library, "MPI_Finalize");
    if (init(NULL, NULL) != 0 || finalize() != 0) return 1;
    puts("late: loaded");
    return 0;
}
