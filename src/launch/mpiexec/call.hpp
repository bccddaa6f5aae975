#pragma once
/// What a call of mpiexec asks for, as its words say it, and the table of its options.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/engines/engine.hpp"
#include "launch/engines/host_list.hpp"
#include "launch/job/program_job.hpp"
#include "mpi/traces/report.hpp"

namespace railyard::mpiexec {

struct Call {
    enum class What { run, help, version };

    What what = What::run;
    job::ProgramOptions job;
    std::vector<engines::HostSlots> hosts;  ///< empty: this one, or those of an allocation
    mpi::traces::Wanted recording;
    Bytes recording_memory{std::uint64_t{1} << 30};  ///< of each rank
    /// For the programs of all ranks; one of a program's own takes precedence.
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<engines::WrittenHost> written_hosts;  ///< empty: this one
    std::optional<engines::Engine> engine;            ///< none: what is here
    std::string launcher;                             ///< of the engine; empty: its own
    std::string interface;
    std::optional<bool> bound;  ///< none: nobody said
    bool as_root = false;
    bool verbose = false;
    std::optional<Duration> heartbeat{};  ///< after how long a silent host is lost
    bool fabric_chosen = false;           ///< whether somebody said which
    bool has_deadlock_timeout = false;    ///< the same
    bool counted = false;                 ///< whether somebody said how many ranks there are
    int slots = 1;                        ///< of a host that was written without a number
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
/// Those of it that are about hosts.
std::vector<Option> host_options();

}  // namespace railyard::mpiexec
