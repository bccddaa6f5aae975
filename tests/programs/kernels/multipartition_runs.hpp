#pragma once
/// What SP and BT have in common as programs: numbers of ranks, messages and partners.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace railyard::kernels {

/// Whom each rank of SP and BT talks to, by the published decomposition: at 4, 9, 16, 25 and 36
/// ranks.
std::vector<std::set<int>> multipartition_partners(int ranks);

/// The kernel refuses numbers of ranks that are no square or too many, all ranks alike, and says
/// so.
void expect_refusals(const std::string& kernel);
/// Partners are the published ones, and so are the numbers of messages.
void expect_partners(const std::string& kernel, const std::string& problem_class, int ranks);

/// So are the connections of a rank, collectives included, on average.
void expect_connections(const std::string& kernel);

}  // namespace railyard::kernels
