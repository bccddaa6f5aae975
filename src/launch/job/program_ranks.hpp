#pragma once
/// The programs of a job made ready to be started as its ranks, on this host.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/shared_memory.hpp"
#include "launch/job/launcher.hpp"
#include "launch/job/plan.hpp"
#include "launch/job/program_job.hpp"

namespace railyard::job {

class ProgramRanks {
  public:
    /// `here` are the ranks of this host; others' programs need not be here. `input` becomes the
    /// standard input of rank 0; -1: ours does. Programs and plan outlive it. Throws CannotStart
    /// for a program that is missing.
    ProgramRanks(const std::vector<Program>& programs, const Plan& plan,
                 const std::vector<int>& here, const SharedMemory::Handle& board, int input = -1);
    ~ProgramRanks();

    /// Starts those that are here with the launcher, each on its core, and returns when they have
    /// ended. Throws CannotStart.
    Result run(Launcher& launcher);

  private:
    struct Ready;
    pid_t start(int id, RankPipes& pipes, const Launcher& launcher);
    std::string invitation(int id, int frames_fd) const;

    const Plan& plan_;
    SharedMemory::Handle board_;
    int input_;
    std::size_t ranks_here_;
    std::vector<Ready> programs_;
    std::vector<std::size_t> program_of_;  ///< by rank
    Descriptor nothing_;                   ///< /dev/null
};

/// How many ranks the programs have together. Throws UsageError if one of them has none, or no
/// name.
int ranks_of(const std::vector<Program>& programs);

}  // namespace railyard::job
