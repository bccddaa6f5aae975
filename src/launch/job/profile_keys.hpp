#pragma once
/// What profiles may say, for those above who may not ask the interconnects themselves.

#include <vector>

#include "railyard/profile_keys.hpp"

namespace railyard::job {

/// Sections that software above owns are there without their keys.
std::vector<fabric::ProfileSection> profile_sections();

}  // namespace railyard::job
