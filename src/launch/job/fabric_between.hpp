#pragma once
/// Which fabric serves ranks on different nodes, where the job's own ends at the node.

#include <string_view>

#include "launch/job/rank.hpp"

namespace railyard::job {

/// For Rank::open(). Empty: the job's fabric serves all ranks.
std::string_view fabric_between_nodes(const Rank& rank);

}  // namespace railyard::job
