#pragma once
/// The experiments on MPI, a part of the list of all.

#include <vector>

#include "experiments/experiment.hpp"

namespace railyard::experiments {

std::vector<Experiment> mpi_experiments();

}  // namespace railyard::experiments
