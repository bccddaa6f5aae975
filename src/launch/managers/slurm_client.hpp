#pragma once
/// A rank's talk with srun where no plugin of MPI's is chosen (`--mpi=none`, often the default), by
/// Slurm's own library.

#include <memory>

#include "launch/managers/manager.hpp"

namespace railyard::managers {

/// Opens the library, which nobody is linked to. Throws Error.
std::unique_ptr<Manager> connect_slurm();

}  // namespace railyard::managers
