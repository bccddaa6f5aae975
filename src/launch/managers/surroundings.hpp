#pragma once
/// Which process manager has started this process, by the variables that it left in the
/// environment.

#include <functional>
#include <string>

namespace railyard::managers {

enum class Road {
    none,      ///< nobody: a job of one rank
    pmi,       ///< PMI-1, by a socket that was inherited
    pmi_port,  ///< PMI-1, by a connection
    pmix,      ///< PMIx, by its library
    slurm,     ///< Slurm's own key-value space, by its library of PMI-1
};

struct Surroundings {
    /// The value of a variable; null: it is not set.
    std::function<const char*(const char* name)> variable;
    /// Whether a descriptor is an open socket.
    std::function<bool(int fd)> is_socket;

    /// Those of this process.
    static Surroundings here();
};

/// The innermost launcher: one whose socket is open, or whose names are there. Throws Error where
/// there is a launcher of several ranks to whom no road leads, and UsageError for a wrong
/// RAILYARD_LAUNCH: N jobs of one rank are never what was meant.
Road choose_road(const Surroundings& around);

/// What tells this rank from all others of all jobs, for mark_as_joined().
std::string fingerprint(const Surroundings& around);
/// What this process starts from now on is not this rank, whatever it inherits.
void mark_as_joined();

}  // namespace railyard::managers
