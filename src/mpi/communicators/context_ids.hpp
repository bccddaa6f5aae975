#pragma once
/// Which contexts this rank has in use. Those who make a communicator together agree on one that is
/// free with all of them, also while other threads of the same ranks agree on others.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/collectives/team.hpp"
#include "mpi/engine/request.hpp"

namespace railyard::mpi {

class Process;

class ContextIds {
  public:
    static constexpr std::uint32_t world = 0;
    static constexpr std::uint32_t self = 2;
    /// Added to a communicator's context: where some of its ranks agree on a new one without the
    /// others. All contexts fit into 16 bits, which is what adapters that match have room for.
    static constexpr std::uint32_t of_subsets = subset_context;
    /// The same where ranks of two communicators agree, of which some ranks have one in common:
    /// added to that one's.
    static constexpr std::uint32_t of_two = subset_context | 1;
    /// Where ranks agree that have no communicator: of MPI_COMM_SELF's, which nobody shares.
    static constexpr std::uint32_t of_groups = self | of_two;

    /// Where an agreement is made. Of those that one rank has under way at a time, no two have the
    /// same: MPI asks for that.
    struct Place {
        std::uint32_t context = 0;
        int tag = 0;
        auto operator<=>(const Place&) const = default;
    };

    ContextIds();
    ContextIds(const ContextIds&) = delete;
    ContextIds& operator=(const ContextIds&) = delete;

    /// A context that is free with all ranks of the team, and in use from now on. The engine's lock
    /// is open while it waits.
    std::uint32_t agree(Process& process, Team& team, Place place);
    void give_back(std::uint32_t context);

  private:
    static constexpr std::size_t window = 4;    ///< words that are agreed on at a time
    static constexpr std::size_t windows = 64;  ///< 16384 contexts in all
    static_assert(2 * windows * window * 64 <= of_subsets);
    using Words = std::array<std::uint64_t, window>;

    class Agreement;
    bool is_first(const Agreement& agreement) const;
    Words words_at(std::size_t first);
    std::uint64_t next_stamp(Team& team);

    std::vector<std::uint64_t> free_;
    /// Whose words the others of its team look at now: nobody else may take a context. Null: none.
    const Agreement* owner_ = nullptr;
    std::vector<const Agreement*> stamped_;  ///< that wait for their turn, or have it
    std::uint64_t clock_ = 0;
};

}  // namespace railyard::mpi
