#pragma once
/// Inter-communicators: two groups of ranks without common members, whose messages go from the one
/// to the other. What making.hpp makes of other communicators it makes of these, too.

#include <memory>
#include <optional>
#include <string_view>

#include "mpi/communicators/comm.hpp"
#include "mpi/communicators/context_ids.hpp"

namespace railyard::mpi {

/// Where a leader finds the leader of the other group: `rank` among the peers of `comm`.
struct RemoteLeader {
    Comm& comm;
    int rank;
};

/// Of the ranks of `local` and of those with whom `remote` is. All ranks of both call together;
/// `remote` is given by the leader alone. While the tag is in use between the leaders, no other
/// call has it. Groups that have a rank in common are an MpiError (comm) on all ranks.
std::unique_ptr<Comm> joined(Comm& local, int leader, const std::optional<RemoteLeader>& remote,
                             int tag, ContextIds& contexts);

/// The same of groups that all of their ranks know. No communicator has to be there before, so
/// calls of one time are told apart by a text.
std::unique_ptr<Comm> joined_from_groups(Process& process, const Group& local, const Group& remote,
                                         std::string_view tag, ContextIds& contexts);

/// One communicator of both groups: the one that says `high` comes last; if both say the same, in
/// an order that both know. Ranks of one group that disagree are an MpiError (arg) on all ranks.
std::unique_ptr<Comm> merged(Comm& inter, bool high, ContextIds& contexts);

}  // namespace railyard::mpi
