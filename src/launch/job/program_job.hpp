#pragma once
/// Starts programs as the ranks of a job, each of which finds the others with join(), and reports
/// how they ended.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/job/job.hpp"
#include "launch/job/kept_memory.hpp"
#include "railyard/base/error.hpp"
#include "railyard/base/time.hpp"

namespace railyard::job {

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

/// How many ranks the programs have together. Throws UsageError if one of them has none, or no
/// name.
int ranks_of(const std::vector<Program>& programs);

}  // namespace railyard::job
