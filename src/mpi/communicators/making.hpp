#pragma once
/// The algebra of groups, and communicators made out of others. All ranks of the parent call
/// together, but for created_by_group(). The new one has the parent's error handler and session,
/// and nothing else of it. Of an inter-communicator an inter-communicator is made; null on all
/// ranks if one of its groups were empty.

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mpi/communicators/comm.hpp"
#include "mpi/communicators/context_ids.hpp"
#include "mpi/engine/communicator.hpp"

namespace railyard::mpi {

// The algebra of groups: sets of ranks with an order. Ranks that a caller names are ranks of the
// group he names them in; one that is not there is an MpiError.

/// How two groups, or two communicators, are alike. Numbered as in MPI.
enum class Comparison : int {
    identical,  ///< the same object; of groups: the same ranks in the same order
    congruent,  ///< of communicators: the same ranks in the same order, another context
    similar,    ///< the same ranks in another order
    unequal,
};

/// Ranks first, first + stride, … as far as last.
struct RankRange {
    int first = 0;
    int last = 0;
    int stride = 1;
};

/// The members of `a` in its order, then those of `b` that `a` has not.
Group united(const Group& a, const Group& b);
/// The members of `a` that `b` has (has not), in a's order.
Group intersection(const Group& a, const Group& b);
Group difference(const Group& a, const Group& b);
/// The named members alone, in the order named; none twice.
Group including(const Group& group, std::span<const int> ranks);
/// All but the named ones.
Group excluding(const Group& group, std::span<const int> ranks);
/// The ranks that ranges stand for.
std::vector<int> expanded(std::span<const RankRange> ranges);

Comparison compare(const Group& a, const Group& b);

std::unique_ptr<Comm> duplicated(Comm& parent, ContextIds& contexts);

/// The same without waiting: the communicator can be used when the request is complete.
struct Duplication {
    std::unique_ptr<Comm> comm;
    Request* request = nullptr;
};
Duplication start_duplicating(Comm& parent, ContextIds& contexts);

/// Of the members of `group`; null for all others. Groups of different ranks are the same or apart.
std::unique_ptr<Comm> created(Comm& parent, const Group& group, ContextIds& contexts);

/// The same, called by the members of `group` alone.
std::unique_ptr<Comm> created_by_group(Comm& parent, const Group& group, int tag,
                                       ContextIds& contexts);

/// The same for members that need have no communicator in common. Calls of one time are told apart
/// by a text. Without an error handler.
std::unique_ptr<Comm> created_from_group(Process& process, const Group& group, std::string_view tag,
                                         ContextIds& contexts);

/// A text as a tag.
int tag_of(std::string_view text);

/// Ranks of one color together, in the order of their keys; null for those without a color.
std::unique_ptr<Comm> split(Comm& parent, std::optional<int> color, int key, ContextIds& contexts);

/// How two communicators are alike.
Comparison compare(const Comm& a, const Comm& b);

}  // namespace railyard::mpi
