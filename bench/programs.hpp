#pragma once
/// Programs that a benchmark starts as a user would: NAS kernels, and one small program that is
/// built with each MPI library of this machine, ours among them, and measures it.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace railyard::bench {

/// Where this program lies, and with it the others of the build.
std::filesystem::path own_folder();

/// What the command prints. Throws Error if it fails.
std::string output_of(const std::string& command);
/// Processor time of what the command runs, so that other load of the machine counts little. Throws
/// Error if it fails.
double processor_seconds(const std::string& command);

using Figures = std::map<std::string, double>;  ///< by name: "latency/64"

/// A NAS kernel as users run it: through mpiexec, by its own clock.
struct KernelProgram {
    std::string kernel;         ///< "cg"
    std::string problem_class;  ///< "A"
    std::string options{};      ///< more words
    std::string launched{};     ///< words for mpiexec

    /// What it says that it took on that many ranks. Throws Error if it fails.
    double seconds(int ranks) const;
};

struct MpiLibrary {
    std::string name;      ///< "mpich"
    std::string program;   ///< mpi_figures, built with it
    std::string launcher;  ///< a command line up to "-n"

    /// Runs the program and gives back its figures. Throws Error if it fails.
    Figures measure(int ranks, const std::string& arguments) const;
    /// The same, but if it fails, those that it has printed by then: not every library can do all.
    Figures measure_what_works(int ranks, const std::string& arguments) const;
    /// The command line that measure() runs.
    std::string command(int ranks, const std::string& arguments) const;
};

/// Ours. Throws Error if it cannot be built.
MpiLibrary our_mpi();
/// Those installed here that work: MPICH, Open MPI as it comes, without the kernel's copy, and over
/// UCX.
std::vector<MpiLibrary> peer_mpis();

/// Ours over iWARP without CRC, and the others with everything but TCP forbidden: MPICH over UCX,
/// Open MPI by its own means, over UCX and over libfabric; those that work here.
MpiLibrary our_mpi_on_iwarp();
std::vector<MpiLibrary> peer_mpis_on_tcp();
/// Ours over that provider of libfabric.
MpiLibrary our_mpi_on_ofi(const std::string& provider);

}  // namespace railyard::bench
