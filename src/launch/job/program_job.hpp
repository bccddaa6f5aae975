#pragma once
/// Starts programs as the ranks of a job, each of which finds the others with join(), and reports
/// how they ended.

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "base/shared_memory.hpp"
#include "launch/job/job.hpp"
#include "launch/job/kept_memory.hpp"
#include "railyard/base/error.hpp"
#include "railyard/base/time.hpp"

namespace railyard::job {

class Launcher;
struct Plan;
struct RankPipes;

/// A program that is not there, or cannot be run.
class CannotStart : public Error {
  public:
    CannotStart(const std::string& what, int exit_code) : Error(what), exit_code_(exit_code) {}
    /// 127 if it is not there, 126 if it cannot be run, as shells have it.
    int exit_code() const { return exit_code_; }

  private:
    int exit_code_;
};

struct Program {
    int ranks = 1;
    /// The first is the program: a path if it has a slash in it, seen from the directory below;
    /// else it is looked for in PATH, then in that directory, and at last in the folders below.
    std::vector<std::string> arguments;
    /// In addition to this process's environment; the last of a name counts.
    std::vector<std::pair<std::string, std::string>> environment{};
    std::string directory{};             ///< where it works; empty: here
    std::vector<std::string> folders{};  ///< of programs that need not be on anybody's path
};

struct ProgramOptions {
    std::vector<Program> programs;  ///< the first one's ranks come first
    std::string fabric = "shm";
    bool pin = true;
    bool label_output = false;
    std::optional<Duration> time_limit{};
    int guardian = -1;         ///< readable when this process's guardian is gone; -1: it has none
    KeptMemoryOptions kept{};  ///< what each rank leaves there is in Result::kept
};

/// Runs them as processes and returns when all have ended. Rank 0 has this process's standard
/// input, the others none. When one dies or fails, the others are ended within two seconds. Throws
/// UsageError for options that make no sense, and CannotStart.
Result run_programs(const ProgramOptions& options);

/// The programs of a job made ready to be started as its ranks, on this host.
class ProgramRanks {
  public:
    /// `here` are the ranks of this host; others' programs need not be here. `input` becomes the
    /// standard input of rank 0; -1: ours does. All that it is given outlives it. Throws
    /// CannotStart for a program that is missing.
    ProgramRanks(const std::vector<Program>& programs, const Plan& plan,
                 const std::vector<int>& here, const SharedMemory::Handle& board,
                 const KeptMemories& kept, int input = -1);
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
    const KeptMemories& kept_;
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
