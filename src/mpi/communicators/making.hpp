#pragma once
/// Makes communicators out of others. All ranks of the parent call together, but for
/// created_aside(). The new one has the parent's error handler, and nothing else of it.

#include <memory>
#include <optional>

#include "mpi/communicators/comm.hpp"
#include "mpi/communicators/context_ids.hpp"
#include "mpi/communicators/groups.hpp"

namespace railyard::mpi {

std::unique_ptr<Comm> duplicated(Comm& parent, ContextIds& contexts);

/// Of the members of `group`; null for all others. Groups of different ranks are the same or apart.
std::unique_ptr<Comm> created(Comm& parent, const Group& group, ContextIds& contexts);

/// The same, called by the members of `group` alone.
std::unique_ptr<Comm> created_aside(Comm& parent, const Group& group, int tag,
                                    ContextIds& contexts);

/// Ranks of one color together, in the order of their keys; null for those without a color.
std::unique_ptr<Comm> split(Comm& parent, std::optional<int> color, int key, ContextIds& contexts);

/// How two communicators are alike.
Likeness compare(const Comm& a, const Comm& b);

}  // namespace railyard::mpi
