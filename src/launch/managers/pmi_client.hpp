#pragma once
/// A rank's talk with a server of PMI-1: hydra, Slurm's pmi2 plugin, Flux.

#include <memory>

#include "launch/managers/manager.hpp"

namespace railyard::managers {

/// By the socket that PMI_FD names. Throws Error.
std::unique_ptr<Manager> connect_pmi_by_descriptor();
/// By a connection to PMI_PORT, where PMI_ID says who we are. Throws Error.
std::unique_ptr<Manager> connect_pmi_by_port();

}  // namespace railyard::managers
