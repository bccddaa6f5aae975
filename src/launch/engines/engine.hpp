#pragma once
/// Launchers of other projects, which start a job on several hosts for us: which of them is asked,
/// and in which words.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/engines/host_list.hpp"
#include "launch/job/program_job.hpp"
#include "railyard/base/time.hpp"

namespace railyard::engines {

enum class Engine : std::uint8_t {
    slurm,    ///< srun
    hydra,    ///< mpiexec of MPICH
    openmpi,  ///< mpirun of Open MPI
};

/// "slurm", "hydra" or "openmpi". Throws UsageError.
Engine parse_engine(std::string_view text);

/// What an engine is asked to run. Variables for all ranks are in our environment by then.
struct HostJob {
    std::vector<job::Program> programs;
    std::vector<HostSlots> hosts{};  ///< empty: those of the allocation
    std::string launcher{};          ///< what starts a command on a host; empty: the engine's own
    std::string interface {};        ///< the network that the engine uses; empty: as it likes
    std::optional<bool> bound{};     ///< whether ranks are bound to cores; none: as the engine does
    std::optional<Duration> limit{};  ///< then it is ended, with exit code 124
    bool label_output = false;
    bool as_root = false;  ///< Open MPI wants to be told
};

/// A command line. Where a word is to be the name of a file, that is one without a name.
struct Command {
    struct File {
        std::size_t word = 0;  ///< which one is its name
        std::string text;
    };
    std::vector<std::string> words;
    std::vector<File> files{};
};

/// Of a job in these words. `variables`: the names of ours, for an engine that carries only those
/// which it is told. Throws UsageError for what the engine cannot do.
Command command_of(Engine engine, const std::string& program, const HostJob& job,
                   std::span<const std::string> variables);

/// As somebody would type it.
std::string text_of(const Command& command);

/// What looks up programs and variables; as the shell does, but in tests.
struct Surroundings {
    std::optional<std::string> (*variable)(const char* name);
    /// Where that command is; this program is not meant, under whatever name.
    std::optional<std::string> (*command)(std::string_view name);
};
Surroundings own_surroundings();

/// Whether this is an allocation of several hosts.
bool is_allocation(const Surroundings& around);

struct Found {
    Engine engine;
    std::string program;  ///< its command
};
/// The one that is wanted, or else the one that suits: srun inside an allocation, else who is
/// there. Throws Error, which says what to install.
Found find_engine(std::optional<Engine> wanted, const Surroundings& around);

/// Becomes that command. Throws CannotStart.
[[noreturn]] void hand_over(const Command& command);
/// Runs it, and passes signals on. Returns its exit code, or 128 and the signal that killed it.
/// Throws CannotStart.
int run(const Command& command);

}  // namespace railyard::engines
