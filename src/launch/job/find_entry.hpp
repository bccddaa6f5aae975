#pragma once
/// A fabric by the name that somebody typed, with an answer that helps where there is none.

#include <string_view>

#include "interconnects/registry_entry.hpp"

namespace railyard::job {

/// One of the two below.
using FindEntry = const interconnects::Entry& (*)(std::string_view name);

/// Any fabric. Throws UsageError, with the name that was probably meant.
const interconnects::Entry& find_entry(std::string_view name);

/// One that moves bytes. Knows of no others, and so needs none of their code. Throws UsageError.
const interconnects::Entry& find_real_entry(std::string_view name);

}  // namespace railyard::job
