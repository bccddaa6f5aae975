#pragma once
/// What one rank's program takes for its process: a copy of it in memory, and all that it would
/// otherwise share with the other ranks, since they are fibers of one thread.

#include <setjmp.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rank_local.hpp"
#include "launch/job/rank.hpp"
#include "programs/executables/environment.hpp"
#include "programs/executables/heap.hpp"
#include "programs/executables/locale.hpp"
#include "programs/executables/options_parser.hpp"
#include "programs/executables/random_numbers.hpp"
#include "programs/executables/streams.hpp"
#include "programs/executables/threads.hpp"
#include "programs/executables/variables.hpp"
#include "programs/loader/copy.hpp"

namespace railyard::executables {

/// A function that runs at the end of the program or of one of its libraries.
struct ExitHandler {
    std::function<void(int code)> run;
    void* library;  ///< its handle; null: the program's
};

class Process final : public Guest {
  public:
    struct Options {
        std::vector<std::string> words;  ///< its name, and its arguments
        bool label_output = false;
        /// Called before the program reads its clock: what it has computed takes its time.
        std::function<void()> charge_computation{};
    };

    /// `program` and `rank` outlive it.
    Process(const loader::Program& program, job::Rank& rank, const Options& options);
    ~Process() override;

    /// From the entry of the program to its end; in the rank's fiber. What it has ended with.
    /// Throws what ended the rank from outside: an abort, a failure of another.
    int run();

    /// Whose code runs on this thread; null: nobody's.
    static Process* here() { return here_; }
    /// For threads that the program makes.
    static void become(Process& process) { here_ = &process; }

    job::Rank& rank() { return rank_; }
    const loader::Copy& copy() const { return *copy_; }
    Heap& heap() { return heap_; }
    Variables& variables() { return variables_; }
    /// Where the program has a variable of the C library: perhaps among its own.
    template <class T>
    T& variable(std::string_view name) {
        return *static_cast<T*>(variable_address(name));
    }

    Streams& streams() { return streams_; }
    Environment& environment() { return environment_; }
    RandomNumbers& random_numbers() { return random_numbers_; }
    OptionsParser& options_parser() { return options_parser_; }
    Locale& locale() { return locale_; }
    char*& token_rest() { return token_rest_; }
    std::vector<ExitHandler>& exit_handlers() { return exit_handlers_; }
    /// Those besides its first.
    Threads& threads() { return threads_; }
    bool has_threads() const { return has_threads_; }
    void expect_threads() { has_threads_ = true; }

    /// What is computed up to here has taken its time; then the virtual time.
    Time now();
    void sleep(Duration duration);

    /// In place of the C library's: runs what is to run at the end, and leaves.
    [[noreturn]] void exit(int code);
    /// Leaves at once.
    [[noreturn]] void leave_with(int code);
    /// Calls `main`, once what comes before it has run.
    [[noreturn]] void start(int (*main)(int, char**, char**), int argc, char** argv);

    void enter() override;
    void leave() override;
    [[noreturn]] void escape() override;
    Duration computed_beside() override { return has_threads_ ? threads_.computed() : Duration(); }

  private:
    void* variable_address(std::string_view name);
    [[noreturn]] void jump_in();
    void expect_main_thread() const;

    static thread_local Process* here_;

    const loader::Program& program_;
    job::Rank& rank_;
    std::function<void()> charge_computation_;
    std::vector<std::string> words_;
    Heap heap_;
    Streams streams_;
    Environment environment_;
    RandomNumbers random_numbers_;
    OptionsParser options_parser_;
    Locale locale_;
    Variables variables_;
    std::optional<loader::Copy> copy_;
    std::vector<std::byte> thread_locals_;  ///< while it does not run
    int error_number_ = 0;                  ///< the same
    char* token_rest_ = nullptr;
    std::vector<ExitHandler> exit_handlers_;
    Threads threads_;
    bool has_threads_ = false;

    Time last_read_ = Time::never();  ///< of its clock ...
    unsigned reads_ = 0;              ///< ... and how often since

    jmp_buf base_{};
    int code_ = 0;
    std::exception_ptr escaped_;
};

/// Runs what may wait, or be ended from outside: no exception passes through a program.
template <class Function>
auto guarded(Function function) {
    try {
        return function();
    } catch (...) {
        Process::here()->escape();
    }
}

}  // namespace railyard::executables
