#pragma once
/// What profiles may say to the engines that there are.

#include <vector>

#include "railyard/profile_keys.hpp"

namespace railyard::interconnects {

/// Sections that software above owns are there without their keys.
std::vector<fabric::ProfileSection> profile_sections();

}  // namespace railyard::interconnects
