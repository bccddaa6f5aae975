#pragma once
/// How a program becomes a rank: it attaches to the launcher that started it, or is a job of its
/// own.

#include <memory>

#include "launch/job/rank.hpp"

namespace railyard::job {

/// Once in a process. Without a launcher, a job of one rank. The rank takes leave of the others
/// when it is destroyed; to end the process before that is a failure of the job. Whatever this
/// process starts is no rank any more. Throws Error.
std::unique_ptr<Rank> join();

}  // namespace railyard::job
