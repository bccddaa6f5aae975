#pragma once
/// The names of places that faults can strike: those that traces and summaries have for the parts.

#include <string>
#include <string_view>

#include "interconnects/virtual/model/fault_script.hpp"

namespace railyard::model {

/// Throws UsageError with what is there if that is not.
FaultPlace parse_place(std::string_view text, const Ground& ground);

/// "all links; node 0 to node 15; ..."
std::string places_of(const Ground& ground);

}  // namespace railyard::model
