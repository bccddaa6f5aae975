#pragma once
/// Runs an MPI program in virtual time, with its computation charged as asked for, and tells what
/// came of it.

#include <string>
#include <vector>

#include "launch/job/job.hpp"
#include "programs/runs/computation.hpp"
#include "programs/runs/summary.hpp"

namespace railyard::runs {

struct Options {
    int (*main)(int argc, char** argv) = nullptr;  ///< every rank runs it
    std::vector<std::string> words;  ///< what it is given: its name, then its arguments
    job::Options job;                ///< on a fabric of virtual time
    ComputeChoice compute;
    std::string faults{};  ///< the path of a script of faults (docs/faults.md); empty: none
};

struct Outcome {
    bool ok = true;       ///< all ranks have come to their end; else ...
    std::string failure;  ///< ... why not
    int exit_code = 0;    ///< the job's, or what the first rank returned that did not return 0
    Summary summary;
};

/// Throws UsageError for options that make no sense, and Error for files that cannot be read or
/// written: before anything runs, or, of a recording, after all has.
Outcome run(const Options& options);

}  // namespace railyard::runs
