#pragma once
/// The options of mpiexec that are about hosts: part of the table in options.hpp.

#include <vector>

#include "launch/mpiexec/options.hpp"

namespace railyard::launcher {

std::vector<Option> host_options();

}  // namespace railyard::launcher
