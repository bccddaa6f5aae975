#pragma once
/// Ranks that are forked off this process and run a function of it: all of a job, or those of them
/// that are here.

#include <sys/types.h>

#include "base/reactor.hpp"
#include "launch/job/board.hpp"
#include "launch/job/launcher.hpp"
#include "launch/job/plan.hpp"

namespace railyard::job {

class ProcessJob {
  public:
    /// All but the options outlive it. Throws Error.
    ProcessJob(const Plan& plan, const Body& body, const Launcher::Options& options,
               Reactor& reactor);

    Board board() const { return board_; }
    Launcher& launcher() { return launcher_; }
    Result run();

  private:
    pid_t start(int id, RankPipes& pipes);

    // The forked child.
    [[noreturn]] void be_rank(int id, RankPipes& pipes, SignalsBlocked& signals);
    int run_body(int id, int frames_fd);

    const Plan& plan_;
    const Body& body_;
    const pid_t launcher_pid_;
    AnonymousMemory memory_;
    Board board_;
    Launcher launcher_;
};

}  // namespace railyard::job
