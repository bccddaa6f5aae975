#pragma once
/// The way to the process manager that has started this process.

#include <memory>

#include "launch/managers/manager.hpp"

namespace railyard::managers {

/// None: nobody has, or our own launcher. From here on what this process starts is no rank of the
/// job. Throws Error, as choose_road().
std::shared_ptr<Manager> connect_to_manager();

}  // namespace railyard::managers
