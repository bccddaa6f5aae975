#pragma once
/// The MPI libraries of this machine, ours among them, and one small program that is built with
/// each and measures it.

#include <map>
#include <string>
#include <vector>

namespace railyard::bench {

struct MpiLibrary {
    std::string name;      ///< "mpich"
    std::string program;   ///< mpi_figures, built with it
    std::string launcher;  ///< a command line up to "-n"

    /// Runs the program and gives back its figures by name. Throws Error if it fails.
    std::map<std::string, double> measure(int ranks, const std::string& arguments) const;
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

}  // namespace railyard::bench
