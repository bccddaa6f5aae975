#pragma once
/// What a call of mpiexec asks for, as its words say it, and the table of its options.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/agents/host_list.hpp"
#include "launch/job/program_job.hpp"
#include "mpi/traces/report.hpp"

namespace railyard::mpiexec {

struct Call {
    enum class What { run, help, version };

    What what = What::run;
    job::ProgramOptions job;
    agents::HostOptions hosts;
    mpi::traces::Wanted recording;
    Bytes recording_memory{std::uint64_t{1} << 30};  ///< of each rank
    /// For the programs of all ranks; one of a program's own takes precedence.
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<agents::WrittenHost> written_hosts;  ///< empty: this one
    int slots = 1;  ///< of a host that was written without a number
    /// Options that were understood and mean nothing here, each with what to say of it.
    std::vector<std::string> notes;
};

/// The words after the command's own name. Throws UsageError.
Call parse(std::span<const std::string> words);

/// What --help prints; `name` is the command's.
std::string help(const std::string& name);

/// One option, ours or one of other launchers that is understood here.
struct Option {
    /// Without dashes: one or two are the same.
    std::vector<std::string_view> names;
    std::size_t operands = 0;  ///< how many words follow it
    std::string_view shown;    ///< as --help writes it; empty: not at all
    std::string_view explanation;
    /// Throws UsageError. `program` is the one that the words stand before.
    std::function<void(Call&, job::Program& program, std::span<const std::string> operands)> apply;
    bool may_have_value = false;  ///< without operands: a word may follow it behind '='
};

/// All of them: one table.
std::span<const Option> options();

}  // namespace railyard::mpiexec
