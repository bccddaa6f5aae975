#pragma once
/// All fabrics there are, by name. The only place that knows them all, and a list that one can
/// read. Those that move bytes are listed apart (registry_real.hpp): a program that runs on nothing
/// else need not carry the models.

#include <span>
#include <string_view>

#include "interconnects/registry_entry.hpp"

namespace railyard::interconnects {

/// In the order in which people should see them. The entries live as long as the program.
std::span<const Entry> registry();

/// Null if there is no such fabric. A name with '/' or ".toml" in it is the path of a profile: it
/// is read at first use, and from then on the fabric is found by path and by the profile's own
/// name. Throws UsageError, with file and line, if that profile is wrong or its name is taken.
const Entry* find(std::string_view name);

}  // namespace railyard::interconnects
