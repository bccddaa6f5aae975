#pragma once
/// How a program becomes a rank, whoever has started it.

#include <memory>

#include "launch/job/rank.hpp"

namespace railyard::managers {

/// Once in a process: a rank of our own launcher's job (job::join), of another launcher's, or a job
/// of one rank. A launcher of several ranks that cannot be talked to is an Error.
std::unique_ptr<job::Rank> join();

}  // namespace railyard::managers
