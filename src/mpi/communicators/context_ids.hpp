#pragma once
/// Which contexts this rank has in use. Those who make a communicator together agree on one that is
/// free with all of them.

#include <cstdint>
#include <vector>

#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

class ContextIds {
  public:
    static constexpr std::uint32_t world = 0;
    static constexpr std::uint32_t self = 2;
    /// Added to a communicator's context: where some of its ranks agree on a new one without the
    /// others. All contexts fit into 16 bits, which is what adapters that match have room for.
    static constexpr std::uint32_t aside = 0x8000;

    ContextIds();
    /// A context that is free with all ranks of the team, and in use from now on.
    std::uint32_t agree(Team& team);
    void give_back(std::uint32_t context);

  private:
    static constexpr std::size_t window = 4;    ///< words that are agreed on at a time
    static constexpr std::size_t windows = 64;  ///< 16384 contexts in all
    static_assert(2 * windows * window * 64 <= aside);
    std::vector<std::uint64_t> free_;
};

}  // namespace railyard::mpi
