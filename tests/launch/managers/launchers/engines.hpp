#pragma once
/// The launchers of others that are here, each asked the same: so many ranks of a program on two
/// nodes.

#include <optional>
#include <string>

#include "launch/mpiexec/started.hpp"

namespace railyard::managers::testing {

using mpiexec::testing::Ended;
using mpiexec::testing::Started;
using mpiexec::testing::Words;

enum class Engine {
    hydra,
    openmpi,
    slurm_pmi2,
    slurm_pmix,
    slurm_none,
    hydra_in_slurm,  ///< in an allocation of both nodes: it starts its daemons by srun
    openmpi_in_slurm,
};

std::string name_of(Engine engine);

inline bool is_srun(Engine engine) {
    return name_of(engine).starts_with("srun");
}

/// Why it cannot be tried here; empty: it can. The first call for Slurm starts two nodes of it.
std::string missing(Engine engine);

/// The call of it, its first word the launcher. Open MPI has one node if it
/// is not in an allocation.
Words call(Engine engine, int ranks, const Words& program);

Ended run(Engine engine, int ranks, const Words& program, const std::string& input = {});

/// The number of the allocation of both nodes, n1 and n2, that all tests have.
std::string allocation();

/// The MPI program of these tests (rank.c).
std::string program();

}  // namespace railyard::managers::testing
