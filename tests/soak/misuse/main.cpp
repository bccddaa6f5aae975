// Calls every function of MPI with every kind of wrong argument that its parameters allow, one at a
// time, under MPI_ERRORS_RETURN. Each must come back, with an error of a sensible class or, where
// MPI allows what was asked, with success; none may end the program or wait for ever. Then every
// function before MPI_Init and after MPI_Finalize: the program is told so, and ended in order.
//
//     misuse            all of it
//     misuse Send       that function alone, each call named
//
// A child makes the calls. When it dies, its parent knows which call it was, and the next child
// goes on behind it.

#include <mpi.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "function.hpp"
#include "objects.hpp"

namespace railyard::misuse {

namespace {

/// What a child and its parent share.
struct Progress {
    std::size_t function;
    std::size_t way;
    std::size_t calls;
    std::size_t failures;
    std::size_t fewest;
    std::size_t with_ten;  ///< functions with ten ways or more
    char text[256];
};

Progress* progress = nullptr;
bool loud = false;

/// A call that takes longer waits for ever.
constexpr unsigned patience_seconds = 60;

void fail(const std::string& function, const std::string& way, const std::string& what) {
    ++progress->failures;
    std::printf("misuse: MPI_%s, %s: %s\n", function.c_str(), way.c_str(), what.c_str());
    std::fflush(stdout);
}

int class_of(int code) {
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    return error_class;
}

void restore_handlers() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

void call(const Function& function, const Way& way) {
    std::vector<Value> arguments = right_arguments(function, way.may_be_right);
    way.spoil(arguments);
    std::snprintf(progress->text, sizeof progress->text, "%s", way.text.c_str());
    if (loud) {
        std::printf("misuse: MPI_%s, %s\n", function.name.c_str(), way.text.c_str());
        std::fflush(stdout);
    }
    alarm(patience_seconds);
    const int code = function.call(arguments.data());
    alarm(0);
    ++progress->calls;
    restore_handlers();
    if (code == MPI_SUCCESS) {
        if (way.expect == Expect::error) fail(function.name, way.text, "passed unseen");
        return;
    }
    const int error_class = class_of(code);
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    if (length == 0) fail(function.name, way.text, "an error without words");
    if (!way.classes.empty() && way.expect == Expect::error &&
        std::ranges::find(way.classes, error_class) == way.classes.end())
        fail(function.name, way.text, std::string("a class of another kind: ") + text);
}

/// These end the program, or MPI.
bool has_no_ways(const Function& function) {
    return function.name == "Finalize";
}

[[noreturn]] void make_calls(const std::string& only) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    MPI_Init(nullptr, nullptr);
    restore_handlers();
    const std::vector<Function>& all = functions();
    for (; progress->function < all.size(); ++progress->function, progress->way = 0) {
        const Function& function = all[progress->function];
        if (has_no_ways(function) || (!only.empty() && function.name != only)) continue;
        const std::vector<Way> ways = ways_of(function);
        if (progress->way == 0) {
            progress->fewest = std::min(progress->fewest, ways.size());
            if (ways.size() >= 10) ++progress->with_ten;
        }
        while (progress->way < ways.size())
            call(function, ways[progress->way++]);
    }
    std::snprintf(progress->text, sizeof progress->text, "after all of them");
    alarm(patience_seconds);
    close_sessions();
    MPI_Finalize();
    std::_Exit(0);
}

/// How a child ended; empty: in order.
std::string ending(int status) {
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? "never returned"
                                           : std::string("died: ") + strsignal(WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return "ended the program, code " + std::to_string(WEXITSTATUS(status));
    return {};
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) != child) {
    }
    return status;
}

void make_all_calls(const std::string& only) {
    for (;;) {
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) make_calls(only);
        const std::string how = ending(wait_for(child));
        if (how.empty()) return;
        const bool in_call = progress->function < functions().size();
        fail(in_call ? functions()[progress->function].name : "Finalize", progress->text, how);
        if (!in_call) return;
    }
}

/// Where there is no MPI: whoever asks for it is told, and the program ends, but not by a signal.
void call_without_mpi(const char* when, bool finalised) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child != 0) {
        const std::string how = ending(wait_for(child));
        if (!how.empty()) fail("Init", when, how);
        return;
    }
    std::freopen("/dev/null", "w", stderr);
    // Right arguments have objects in them, which need MPI. They are as they were afterwards.
    std::vector<std::vector<Value>> arguments;
    if (finalised) {
        MPI_Init(nullptr, nullptr);
        restore_handlers();
        for (const Function& function : functions())
            arguments.push_back(right_arguments(function, true));
        close_sessions();
        MPI_Finalize();
    }
    for (std::size_t i = 0; i < functions().size(); ++i) {
        const Function& function = functions()[i];
        if (function.always) continue;
        ++progress->calls;
        const pid_t caller = fork();
        if (caller == 0) {
            alarm(patience_seconds);
            const std::vector<Value> none(function.parameters.size());
            std::_Exit(function.call(finalised ? arguments[i].data() : none.data()) == MPI_SUCCESS
                           ? 2
                           : 0);
        }
        const int status = wait_for(caller);
        if (WIFSIGNALED(status)) fail(function.name, when, ending(status));
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
            fail(function.name, when, "passed unseen");
    }
    std::_Exit(0);
}

}  // namespace

const std::vector<Function>& functions() {
    static const std::vector<Function> all{
#include <misuse_functions.inc>
    };
    return all;
}

int run(const std::string& only) {
    loud = !only.empty();
    progress = static_cast<Progress*>(
        mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    progress->fewest = ~std::size_t{0};  // the rest is zero, as memory from the system is
    make_all_calls(only);
    if (only.empty()) {
        call_without_mpi("before MPI_Init", false);
        call_without_mpi("after MPI_Finalize", true);
    }
    std::printf(
        "misuse: %zu functions (%zu in ten ways or more, the others in all there are), %zu "
        "wrong calls, %zu went wrong\n",
        functions().size(), progress->with_ten, progress->calls, progress->failures);
    return progress->failures == 0 && progress->calls != 0 ? 0 : 1;
}

}  // namespace railyard::misuse

int main(int argc, char** argv) {
    return railyard::misuse::run(argc > 1 ? argv[1] : "");
}
