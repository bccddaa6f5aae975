#pragma once
/// Watches the processes of a job: starts each, hears what it delivers, prints and how it ends, and
/// when one fails, ends the others within two seconds. How a process is started is the caller's.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/reactor.hpp"
#include "launch/job/board.hpp"
#include "launch/job/job.hpp"
#include "launch/job/rank_process.hpp"
#include "launch/job/signals_and_limits.hpp"
#include "launch/job/standstill.hpp"
#include "railyard/base/time.hpp"

namespace railyard::job {

/// Between being asked to end and being made to.
inline constexpr Duration grace = Duration::s(1);
inline constexpr int time_limit_exit_code = 124;  // as timeout(1) has it

/// Whoever is to hear of the ranks besides, where a launcher has those of one host only.
class Overseer {
  public:
    virtual ~Overseer() = default;
    /// A frame of kind `put`, `fence` or `waiting`.
    virtual void on_exchange(int rank, FrameKind kind, std::string payload) = 0;
    /// The rank has ended well.
    virtual void on_leave(int rank) = 0;
    /// The most telling failure; the other ranks of this launcher are being ended.
    virtual void on_failure(const Ending& ending) = 0;
};

class Launcher {
  public:
    struct Options {
        std::vector<int> ranks;  ///< those that it starts; of the board, these may be a part
        /// Where what a rank prints goes; unset, or none for a stream: it prints by itself.
        std::function<RankOutputs(int rank)> outputs{};
        std::optional<Duration> time_limit{};
        /// This process is there for the job alone: it passes further signals on to the ranks, and
        /// nothing that a rank started stays behind.
        bool whole_process = false;
        int guardian =
            -1;  ///< readable when the guardian is gone (guardian.hpp); -1: there is none
        std::string host{};            ///< of several, this one's name, for messages
        Overseer* overseer = nullptr;  ///< outlives the launcher
    };

    /// Starts the process of a rank, all of whose pipes close on exec. Throws Error.
    using Start = std::function<pid_t(int id, RankPipes& pipes)>;

    /// Board and reactor outlive it, and nobody else looks first at the reactor. Throws Error.
    Launcher(const Options& options, Board board, Reactor& reactor);
    ~Launcher();

    /// Returns when all have ended; after fail() none is started. Throws Error when a rank cannot
    /// be started; those that run are killed.
    Result run(const Start& start);

    /// Whether to read what ranks print; those who print much then wait.
    void read_outputs(RankProcess::Stream stream, bool yes);
    void read_outputs(bool yes);
    /// Nobody wants to read it any more: those who print it are told, as any writer is.
    void close_outputs(RankProcess::Stream stream);
    /// The job is to end: as if a rank had failed.
    void fail(std::string what, int exit_code, int signal_for_others);
    void signal_all(int signal);

    /// Where whatever else there is to wait for meanwhile may be watched.
    Reactor& reactor() const { return reactor_; }
    /// A turn of the reactor before or after the run, while signals are still caught here. Gives
    /// the signal that asks to end, or 0.
    int turn();

    /// For a forked child, which is no launcher.
    void forget_in_child();
    /// For a child that shares memory with this process until it executes a program: signals and
    /// limits are again what they were. Nothing but system calls.
    void restore_for_exec() const;

  private:
    using Stream = RankProcess::Stream;
    struct Watched {
        std::unique_ptr<RankProcess> process;
        std::array<Reactor::Watch, std::size(RankProcess::all_streams)> streams{};
    };

    void start_rank(std::size_t index, const Start& start);
    void watch(std::size_t index, Stream stream);
    void handle(std::size_t index, Stream stream);
    void settle();
    void take_signals();
    void on_signal(int signal);
    void on_end(std::size_t index);
    void on_guardian_gone();
    void finish_outputs();
    void kill_again();
    void hear(int rank, FrameKind kind, std::string payload);
    void consider(Ending ending);
    void on_missing_leave(Ending ending);
    void on_waiting(int rank, std::string_view what);
    void find_deadlock();

    Options options_;
    Board board_;
    FileLimit file_limit_;
    Interrupts interrupts_;
    Reactor& reactor_;
    Reactor::Watch signals_;
    Reactor::Watch guardian_;
    std::vector<Watched> ranks_;
    std::vector<char> room_;  ///< for one piece; too much for a small stack
    /// By stream: whether it is read, or closed.
    enum class Reading : std::uint8_t { yes, no, closed };
    std::array<Reading, std::size(RankProcess::all_streams)> reading_{};
    bool is_run_ = false;  ///< signals are for the ranks
    int asked_ = 0;        ///< the signal that asked to end when no rank ran, or once more
    std::size_t running_ = 0;
    Reactor::Timer time_limit_;
    /// Set once the ranks were asked to end: when patience with them ends.
    Reactor::Timer kill_;
    /// Set once a rank ended well but took no leave: the others may be about to do the same.
    std::optional<Ending> without_leave_;
    Reactor::Timer forbearance_;
    Standstill standstill_;
    Reactor::Timer deadlock_;  ///< set once all ranks have said that they wait
    /// The most telling failure of one look around.
    std::optional<Ending> worst_;
    Result result_;
};

}  // namespace railyard::job
