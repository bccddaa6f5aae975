#pragma once
/// What a launcher changes of its own process while it has ranks, and puts back afterwards: what
/// signals do, and how many files may be open.

#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/descriptor.hpp"

namespace railyard::job {

/// Turns SIGINT, SIGTERM and others into something that a launcher can wait for while it has ranks
/// to end.
class Interrupts {
  public:
    /// SIGINT, SIGTERM, and the others that are named. SIGPIPE and SIGXFSZ are ignored: whoever
    /// writes is told. Only one at a time in a process, because signal handlers are the process's.
    /// Throws Error.
    explicit Interrupts(std::span<const int> others = {});
    /// A signal that nobody has taken is raised again, for the previous handler.
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    /// Readable when a signal came.
    int descriptor() const { return pipe_.read.get(); }
    /// The signal that came, or 0.
    int take();

    /// Stops this process as SIGTSTP would have, had nobody caught it. Returns when it goes on.
    void stop_here() const;

    /// For a forked child: signals mean again what they meant before.
    void undo_in_child();
    /// The same in a child that shares this memory: only the child's own handlers change.
    void restore_for_exec() const;

  private:
    struct Caught {
        int number;
        struct sigaction previous;
    };

    void replace(int number, void (*handler)(int));

    Pipe pipe_;
    std::vector<Caught> caught_;
};

/// Those that a launcher which is there for its job alone passes on to the ranks.
inline constexpr std::array signals_passed_on{SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
/// Those of a terminal besides: all stop, all go on, its size has changed.
inline constexpr std::array signals_of_terminals{SIGTSTP, SIGCONT, SIGWINCH};
/// Whether whoever sends this one wants the job to end.
constexpr bool asks_to_end(int signal) {
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/// Holds all signals back for a while, so that a fork's child meets none before it is ready.
class SignalsBlocked {
  public:
    SignalsBlocked();
    ~SignalsBlocked() { release(); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;
    void release();

  private:
    sigset_t previous_;
};

/// Room for the descriptors that a job of many processes needs: raises this process's soft limit
/// where it is too low.
class FileLimit {
  public:
    /// Room for `more` descriptors on top of those open now. Throws Error if the hard limit is
    /// less.
    explicit FileLimit(std::size_t more);
    ~FileLimit();
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

    /// For a forked child, which gets the limit that its launcher had.
    void undo_in_child() const;

  private:
    rlimit previous_{};
    bool raised_ = false;
};

}  // namespace railyard::job
