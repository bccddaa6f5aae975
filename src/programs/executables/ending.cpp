#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"
#include "programs/loader/thread_locals.hpp"
#include "railyard/base/error.hpp"

namespace railyard::executables {

namespace {

using Main = int (*)(int, char**, char**);

/// The entry of every executable calls it. What runs before main is known from its file; only what
/// was linked by older tools brings `init`, which runs the same.
int imported_libc_start_main(Main main, int argc, char** argv, void (*)(), void (*)(), void (*)(),
                             void*) {
    Process::here()->start(main, argc, argv);
}

[[noreturn]] void imported_exit(int code) {
    Process::here()->exit(code);
}

[[noreturn]] void imported_exit_now(int code) {
    Process::here()->leave_with(code);
}

int imported_cxa_atexit(void (*function)(void*), void* argument, void*) {
    Process::here()->exit_handlers().push_back([=](int) { function(argument); });
    return 0;
}

int imported_atexit(void (*function)()) {
    Process::here()->exit_handlers().push_back([=](int) { function(); });
    return 0;
}

int imported_on_exit(void (*function)(int, void*), void* argument) {
    Process::here()->exit_handlers().push_back([=](int code) { function(code, argument); });
    return 0;
}

/// A library that ends: what was to run then has run, since all end together.
void imported_cxa_finalize(void*) {}

[[noreturn]] void fail(const char* function, const char* why) {
    guarded([&] { throw Error(fmt::format("{}() was called: {}", function, why)); });
    std::abort();
}

constexpr const char* one_process =
    "in virtual time all ranks are one process, which cannot be doubled; start the program with "
    "mpiexec";

int imported_fork() {
    fail("fork", one_process);
}
int imported_vfork() {
    fail("vfork", one_process);
}
int imported_exec(const char*, ...) {
    fail("exec", one_process);
}
int imported_daemon(int, int) {
    fail("daemon", one_process);
}

}  // namespace

std::span<const Import> imports_of_ending() {
    static const Import all[] = {
        import("__libc_start_main", imported_libc_start_main),
        import("exit", imported_exit),
        import("_exit", imported_exit_now),
        import("_Exit", imported_exit_now),
        import("quick_exit", imported_exit_now),
        import("atexit", imported_atexit),
        import("on_exit", imported_on_exit),
        import("__cxa_atexit", imported_cxa_atexit),
        import("__cxa_thread_atexit_impl", imported_cxa_atexit),
        import("__cxa_finalize", imported_cxa_finalize),
        import("__tls_get_addr", loader::thread_local_address),
        import("fork", imported_fork),
        import("vfork", imported_vfork),
        import("execve", imported_exec),
        import("execv", imported_exec),
        import("execvp", imported_exec),
        import("execvpe", imported_exec),
        import("execl", imported_exec),
        import("execle", imported_exec),
        import("execlp", imported_exec),
        import("daemon", imported_daemon),
    };
    return all;
}

}  // namespace railyard::executables
