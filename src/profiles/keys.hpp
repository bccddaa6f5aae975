#pragma once
/// A language of profiles as its reference shows it: section by section, of every engine.

#include <vector>

#include "profiles/schema.hpp"
#include "railyard/profile_keys.hpp"

namespace railyard::profiles {

/// Sections that software above owns are there without their keys.
std::vector<fabric::ProfileSection> sections_of(const Language& language);

}  // namespace railyard::profiles
