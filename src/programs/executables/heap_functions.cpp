#include <malloc.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"

namespace railyard::executables {

namespace {

/// Of all heaps, and only where a program has threads.
std::mutex mutex;

template <class Work>
auto with_heap(Work work) {
    Process& process = *Process::here();
    std::unique_lock lock(mutex, std::defer_lock);
    if (process.has_threads()) lock.lock();
    return work(process.heap());
}

void* or_no_memory(void* memory) {
    if (memory == nullptr) errno = ENOMEM;
    return memory;
}

void* imported_malloc(std::size_t bytes) {
    return or_no_memory(with_heap([&](Heap& heap) { return heap.allocate(bytes); }));
}

/// What the C library made for the program (strdup, getline) is its own.
void imported_free(void* memory) {
    if (memory == nullptr) return;
    with_heap([&](Heap& heap) {
        if (heap.owns(memory))
            heap.free(memory);
        else
            std::free(memory);
    });
}

void* imported_calloc(std::size_t count, std::size_t size) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return or_no_memory(nullptr);
    return or_no_memory(with_heap([&](Heap& heap) { return heap.allocate_clear(bytes); }));
}

void* imported_realloc(void* memory, std::size_t bytes) {
    if (memory == nullptr) return imported_malloc(bytes);
    if (bytes == 0) {
        imported_free(memory);
        return nullptr;
    }
    return or_no_memory(with_heap([&](Heap& heap) -> void* {
        if (!heap.owns(memory)) return std::realloc(memory, bytes);
        const std::size_t before = heap.usable(memory);
        if (bytes <= before && bytes >= before / 2) return memory;
        void* const moved = heap.allocate(bytes);
        if (moved == nullptr) return nullptr;
        std::memcpy(moved, memory, std::min(before, bytes));
        heap.free(memory);
        return moved;
    }));
}

void* imported_reallocarray(void* memory, std::size_t count, std::size_t size) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return or_no_memory(nullptr);
    return imported_realloc(memory, bytes);
}

bool is_alignment(std::size_t alignment) {
    return alignment != 0 && (alignment & (alignment - 1)) == 0;
}

void* imported_memalign(std::size_t alignment, std::size_t bytes) {
    if (!is_alignment(alignment)) {
        errno = EINVAL;
        return nullptr;
    }
    return or_no_memory(with_heap([&](Heap& heap) { return heap.allocate(bytes, alignment); }));
}

int imported_posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
    if (!is_alignment(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
    void* const made = with_heap([&](Heap& heap) { return heap.allocate(bytes, alignment); });
    if (made == nullptr) return ENOMEM;
    *memory = made;
    return 0;
}

void* imported_valloc(std::size_t bytes) {
    return imported_memalign(Heap::page, bytes);
}

void* imported_pvalloc(std::size_t bytes) {
    return imported_memalign(Heap::page, (bytes + Heap::page - 1) / Heap::page * Heap::page);
}

std::size_t imported_malloc_usable_size(void* memory) {
    if (memory == nullptr) return 0;
    return with_heap([&](Heap& heap) {
        return heap.owns(memory) ? heap.usable(memory) : ::malloc_usable_size(memory);
    });
}

/// The C library would give the program's buffer to its own heap.
ssize_t imported_getdelim(char** line, std::size_t* size, int until, std::FILE* file) {
    char* read = nullptr;
    std::size_t room = 0;
    const ssize_t length = ::getdelim(&read, &room, until, file);
    if (length >= 0) {
        const auto needed = static_cast<std::size_t>(length) + 1;
        if (*line == nullptr || *size < needed) {
            const std::size_t grown = std::max<std::size_t>(needed, 120);
            void* const made = imported_realloc(*line, grown);
            if (made == nullptr) {
                std::free(read);
                return -1;
            }
            *line = static_cast<char*>(made);
            *size = grown;
        }
        std::memcpy(*line, read, needed);
    }
    std::free(read);
    return length;
}

ssize_t imported_getline(char** line, std::size_t* size, std::FILE* file) {
    return imported_getdelim(line, size, '\n', file);
}

}  // namespace

std::span<const Import> imports_of_heap() {
    static const Import all[] = {
        import("malloc", imported_malloc),
        import("free", imported_free),
        import("cfree", imported_free),
        import("calloc", imported_calloc),
        import("realloc", imported_realloc),
        import("reallocarray", imported_reallocarray),
        import("memalign", imported_memalign),
        import("aligned_alloc", imported_memalign),
        import("posix_memalign", imported_posix_memalign),
        import("valloc", imported_valloc),
        import("pvalloc", imported_pvalloc),
        import("malloc_usable_size", imported_malloc_usable_size),
        import("getdelim", imported_getdelim),
        import("__getdelim", imported_getdelim),
        import("getline", imported_getline),
    };
    return all;
}

}  // namespace railyard::executables
