#pragma once
/// Where the two ends of a transfer lie: in main memory or in the adapter's own.

#include <string_view>
#include <vector>

#include "railyard/memory.hpp"
#include "railyard/traits.hpp"
#include "results/row.hpp"

namespace railyard::experiments {

struct Ends {
    fabric::Home source = fabric::Home::host;
    fabric::Home destination = fabric::Home::host;
};

/// "main" or "elan", the words of petrini02: the latter stands for the adapter of any fabric.
std::string_view name(fabric::Home home);

/// All combinations that the fabric has, main to main first.
std::vector<Ends> ends_of(const fabric::Traits& traits);

/// Adds `source` and `destination`.
void name_ends(results::Parameters& parameters, const Ends& ends);

}  // namespace railyard::experiments
