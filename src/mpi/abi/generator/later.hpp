#pragma once
/// What is written for functions that the library does not have yet (../later.txt).

#include <iosfwd>
#include <vector>

#include "table.hpp"

/// Entry points, each of which fails.
void write_later_entries(std::ostream& out, const std::vector<Chapter>& chapters);

/// For tests: RAILYARD_MPI_LATER(kind, class, name, call) for each of them; all arguments of the
/// call are nothing.
void write_later_calls(std::ostream& out, const std::vector<Chapter>& chapters);
