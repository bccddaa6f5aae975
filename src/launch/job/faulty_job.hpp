#pragma once
/// A job whose interconnect is struck by faults, as a script says (docs/faults.md).

#include <string>

#include "launch/job/job.hpp"
#include "railyard/fault_report.hpp"

namespace railyard::job {

struct Faults {
    std::string script;          ///< the path of the file
    fabric::FaultReport report;  ///< what they did, filled in at the end
};

/// As job::run, for modelled fabrics. Throws UsageError, too, for a script that is wrong or names
/// what is not there, and for a fabric that has no faults.
Result run_with_faults(const Options& options, Faults& faults, const Body& body);

}  // namespace railyard::job
