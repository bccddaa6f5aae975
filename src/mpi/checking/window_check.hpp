#pragma once
/// Compares the types of a one-sided operation: what it takes on one side with what it puts on the
/// other. Both are the origin's, and so no other rank is asked.

#include <string>

#include "mpi/checking/call_text.hpp"
#include "mpi/checking/objects.hpp"

namespace railyard::mpi::checking {

/// What is wrong with the call; empty: nothing, or it is no such operation.
std::string difference_in_window(const MadeCall& call, Objects& objects);

}  // namespace railyard::mpi::checking
