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

#include "base/clock_readings.hpp"
#include "base/rank_local.hpp"
#include "launch/job/rank.hpp"
#include "programs/executables/directory.hpp"
#include "programs/executables/environment.hpp"
#include "programs/executables/heap.hpp"
#include "programs/executables/locale.hpp"
#include "programs/executables/options_parser.hpp"
#include "programs/executables/random_numbers.hpp"
#include "programs/executables/start.hpp"
#include "programs/executables/static_results.hpp"
#include "programs/executables/streams.hpp"
#include "programs/executables/threads.hpp"
#include "programs/executables/variables.hpp"
#include "programs/loader/copy.hpp"

namespace railyard::executables {

class Process final : public Guest {
  public:
    /// `program` and `rank` outlive it.
    Process(const loader::Program& program, job::Rank& rank, const Start& start);
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
    StaticResults& static_results() { return static_results_; }
    Directory& directory() { return directory_; }
    /// What is to run at the end of the program, the last first.
    std::vector<std::function<void(int code)>>& exit_handlers() { return exit_handlers_; }
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
    StaticResults static_results_;
    Directory directory_;
    std::vector<std::function<void(int code)>> exit_handlers_;
    Threads threads_;
    bool has_threads_ = false;

    ClockReadings clock_readings_;

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
