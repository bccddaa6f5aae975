#pragma once
/// A rank's talk with a PMIx server, by libpmix: Slurm's pmix plugin, Open MPI's mpirun, prterun.

#include <memory>

#include "launch/managers/manager.hpp"

namespace railyard::managers {

/// Opens the library, which nobody is linked to. Throws Error.
std::unique_ptr<Manager> connect_pmix();

}  // namespace railyard::managers
