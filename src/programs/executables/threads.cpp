#include <pthread.h>

#include <memory>
#include <span>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"
#include "programs/loader/thread_room.hpp"

namespace railyard::executables {

namespace {

using Begin = void* (*)(void*);

struct NewThread {
    Process& process;
    Begin begin;
    void* argument;
};

/// Such a thread computes for its rank; MPI and the clock are for the rank's first alone, as only
/// that one is known to virtual time.
void* begin_thread(void* argument) {
    const std::unique_ptr<NewThread> made(static_cast<NewThread*>(argument));
    Process& process = made->process;
    static thread_local RankLocal words;
    words.guest = &process;
    rank_local::here = &words;
    Process::become(process);
    const auto& plan = process.copy().program().thread_locals();
    process.copy().write_thread_locals(
        {loader::thread_room::thread_pointer() + plan.used_begin(), plan.used()});
    return made->begin(made->argument);
}

int imported_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, Begin begin,
                            void* argument) {
    Process& process = *Process::here();
    process.expect_threads();
    auto made = std::make_unique<NewThread>(process, begin, argument);
    const int error = ::pthread_create(thread, attributes, begin_thread, made.get());
    if (error == 0) static_cast<void>(made.release());
    return error;
}

}  // namespace

std::span<const Import> imports_of_threads() {
    static const Import all[] = {import("pthread_create", imported_pthread_create)};
    return all;
}

}  // namespace railyard::executables
