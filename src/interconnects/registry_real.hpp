#pragma once
/// The fabrics that move bytes, by name: the part of the registry that a rank of a real job needs.

#include <span>
#include <string_view>

#include "interconnects/registry_entry.hpp"

namespace railyard::interconnects {

/// They live as long as the program.
std::span<const Entry> real_fabrics();

/// Null if there is no such fabric, or it runs in virtual time.
const Entry* find_real(std::string_view name);

}  // namespace railyard::interconnects
