#pragma once
/// What profiles may say of the MPI library: its settings, by the names of keys.

#include <string>
#include <vector>

#include "mpi/engine/settings.hpp"
#include "railyard/profile_keys.hpp"

namespace railyard::mpi {

/// What a setting's value is: "size", "striping or binding".
std::string kind_of(const SettingRow& row);

/// Adds the keys that the library reads to its section.
void explain(std::vector<fabric::ProfileSection>& sections);

}  // namespace railyard::mpi
