#pragma once
/// Makes communicators out of others. All ranks of the parent call together, but for
/// created_by_group(). The new one has the parent's error handler, and nothing else of it.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/collectives/team.hpp"
#include "mpi/communicators/comm.hpp"
#include "mpi/communicators/groups.hpp"

namespace railyard::mpi {

/// Which contexts this rank has in use. Those who make a communicator together agree on one that is
/// free with all of them.
class ContextIds {
  public:
    static constexpr std::uint32_t world = 0;
    static constexpr std::uint32_t self = 2;
    /// Added to a communicator's context: where some of its ranks agree on a new one without the
    /// others. All contexts fit into 16 bits, which is what adapters that match have room for.
    static constexpr std::uint32_t of_subsets = 0x8000;

    ContextIds();
    /// A context that is free with all ranks of the team, and in use from now on.
    std::uint32_t agree(Team& team);
    void give_back(std::uint32_t context);

  private:
    static constexpr std::size_t window = 4;    ///< words that are agreed on at a time
    static constexpr std::size_t windows = 64;  ///< 16384 contexts in all
    static_assert(2 * windows * window * 64 <= of_subsets);
    std::vector<std::uint64_t> free_;
};

std::unique_ptr<Comm> duplicated(Comm& parent, ContextIds& contexts);

/// Of the members of `group`; null for all others. Groups of different ranks are the same or apart.
std::unique_ptr<Comm> created(Comm& parent, const Group& group, ContextIds& contexts);

/// The same, called by the members of `group` alone.
std::unique_ptr<Comm> created_by_group(Comm& parent, const Group& group, int tag,
                                       ContextIds& contexts);

/// Ranks of one color together, in the order of their keys; null for those without a color.
std::unique_ptr<Comm> split(Comm& parent, std::optional<int> color, int key, ContextIds& contexts);

/// How two communicators are alike.
Comparison compare(const Comm& a, const Comm& b);

}  // namespace railyard::mpi
