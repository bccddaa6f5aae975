#pragma once
/// What a call of mpiexec asks for, as its words say it.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "launch/agents/host_list.hpp"
#include "launch/job/program_job.hpp"
#include "launch/mpiexec/host_words.hpp"

namespace railyard::launcher {

struct Call {
    enum class What { run, help, version };

    What what = What::run;
    job::ProgramOptions job;
    cluster::HostOptions hosts;
    /// For the programs of all ranks; one of a program's own takes precedence.
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<WrittenHost> written_hosts;  ///< empty: this one
    int slots = 1;                           ///< of a host that was written without a number
    /// Options that were understood and mean nothing here, each with what to say of it.
    std::vector<std::string> notes;
};

/// The words after the command's own name. Throws UsageError.
Call parse(std::span<const std::string> words);

/// What --help prints; `name` is the command's.
std::string help(const std::string& name);

}  // namespace railyard::launcher
