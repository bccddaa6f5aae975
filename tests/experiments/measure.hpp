#pragma once
/// Runs one experiment as the command line would, and finds one's way in its rows.

#include <optional>
#include <string_view>
#include <vector>

#include "experiments/core/plan.hpp"

namespace railyard::experiments {

/// Throws Error with the failure if it does not end well.
std::vector<results::Row> measure(std::string_view experiment, std::string_view fabric,
                                  const Wishes& wishes, std::optional<job::Kind> kind = {});

std::int64_t integer(const results::Row& row, const char* parameter);
std::string text(const results::Row& row, const char* parameter);

/// A few sizes, small enough to be quick and different enough to tell apart.
std::vector<Bytes> some_sizes();

}  // namespace railyard::experiments
