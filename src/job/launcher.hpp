#pragma once
/// Watches the processes of a job: starts each, hears what it delivers, prints and how it ends, and
/// when one fails, ends the others within two seconds. How a process is started is the caller's.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "job/board.hpp"
#include "job/deadline.hpp"
#include "job/file_limit.hpp"
#include "job/interrupts.hpp"
#include "job/job.hpp"
#include "job/rank_process.hpp"

namespace railyard::job {

class Launcher {
  public:
    struct Options {
        int ranks = 1;
        bool label_output = false;
        std::optional<Duration> time_limit;
        /// This process is there for the job alone: it passes further signals on to the ranks, and
        /// when the job has failed, nothing that a rank started stays behind.
        bool whole_process = false;
    };

    /// Starts the process of a rank, all of whose pipes close on exec. Throws Error.
    using Start = std::function<pid_t(int id, RankPipes& pipes)>;

    /// The board outlives it. Throws Error.
    Launcher(const Options& options, Board board);

    /// Returns when all have ended. Throws Error when a rank cannot be started; those that run are
    /// killed.
    Result run(const Start& start);

    /// For a forked child, which is no launcher.
    void forget_in_child();
    /// For a child that shares memory with this process until it executes a program: signals and
    /// limits are again what they were. Nothing but system calls.
    void restore_for_exec() const;

  private:
    void start_rank(int id, const Start& start);
    void watch(int fd, std::uint64_t id);
    void unwatch(const RankProcess& rank, RankProcess::Stream stream);
    void wait_and_handle();
    void handle(std::uint64_t event);
    void on_signal(int signal);
    void on_end(RankProcess& rank);
    void consider(Ending ending);
    void fail(std::string what, int exit_code, int signal_for_others);
    void signal_all(int signal);
    int patience_left() const;

    Options options_;
    Board board_;
    FileLimit file_limit_;
    Interrupts interrupts_;
    Descriptor epoll_;
    std::vector<std::unique_ptr<RankProcess>> ranks_;
    std::size_t running_ = 0;
    Deadline time_limit_;
    /// Set once the ranks were asked to end: when patience with them ends.
    Deadline kill_at_;
    /// The most telling failure of one look around.
    std::optional<Ending> worst_;
    Result result_;
};

}  // namespace railyard::job
