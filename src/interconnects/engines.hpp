#pragma once
/// What can run a profile, and so what profiles may say.

#include <span>

#include "interconnects/virtual/common/engine.hpp"
#include "profiles/schema.hpp"

namespace railyard::interconnects {

/// The first runs the profiles that name none.
std::span<const virtual_time::Engine> engines();

/// Lives as long as the program.
const profiles::Language& language();

/// As the engine that it names reads it.
virtual_time::Described described(const profiles::Profile& profile);

}  // namespace railyard::interconnects
