#pragma once
/// The rates of two sides that stream at once, put together.

#include <string_view>
#include <vector>

#include "launch/job/rank.hpp"

namespace railyard::experiments {

/// Of ranks 0 and 1, batch by batch. `key` is unique in the job.
std::vector<double> sum_of_both(job::Rank& rank, std::string_view key,
                                const std::vector<double>& mine);

}  // namespace railyard::experiments
