#pragma once
/// How a program becomes a rank: it attaches to the launcher that started it, or is a job of its
/// own.

#include <memory>
#include <string_view>

#include "launch/job/rank.hpp"

namespace railyard::job {

/// Once in a process. Without a launcher, a job of one rank. The rank takes leave of the others
/// when it is destroyed; to end the process before that is a failure of the job. Whatever this
/// process starts is no rank any more. Throws Error.
std::unique_ptr<Rank> join();

/// The same for a process that another process manager has started, and that has its bootstrap by
/// now. `fabrics`: the one inside a node, and after a plus the one between nodes where the first
/// does not cross them ("shm+iwarp"). Nobody gets what the rank delivers. Throws UsageError.
std::unique_ptr<Rank> join_by(std::unique_ptr<Bootstrap> bootstrap, std::string_view fabrics,
                              bool shares_core);

}  // namespace railyard::job
