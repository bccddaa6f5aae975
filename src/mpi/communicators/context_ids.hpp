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

  public:
    /// An agreement step by step: each is a collective, whose outcome says what the next one is. It
    /// is gone, and what it owned is free, whatever ends it.
    class Agreement {
      public:
        /// `begins_alone`: this rank has no other under way, and none comes before this is over.
        Agreement(ContextIds& ids, Place place, bool begins_alone);
        ~Agreement();
        Agreement(const Agreement&) = delete;
        Agreement& operator=(const Agreement&) = delete;

        enum class Next : std::uint8_t {
            collective,  ///< was called on the team; when it is over, so is this step
            turn,        ///< it must wait until others of this rank are over
            agreed,      ///< on context()
        };
        /// Throws MpiError (other) if no context is left.
        Next advance(Team& team);
        /// Whether it still must wait.
        bool awaits_turn() const;
        std::uint32_t context() const { return context_; }
        /// Whether a round has failed, as some rank had others under way.
        bool was_put_off() const { return stamp_ != 0; }

        bool operator<(const Agreement& other) const;

      private:
        enum class Step : std::uint8_t { first, words, stamp, turn };
        void give_words(Team& team);
        void give_up();

        ContextIds& ids_;
        Place place_;
        std::uint64_t stamp_ = 0;  ///< 0: none yet
        Step step_ = Step::first;
        bool alone_;
        std::size_t window_ = 0;  ///< where the words are that are agreed on
        Words mine_{};
        Words common_{};
        std::uint64_t own_clock_ = 0;
        std::uint64_t highest_ = 0;
        std::uint32_t context_ = 0;
    };

  private:
    bool is_first(const Agreement& agreement) const;
    Words words_at(std::size_t first);
    std::vector<std::uint64_t> free_;
    /// Whose words the others of its team look at now: nobody else may take a context. Null: none.
    const Agreement* owner_ = nullptr;
    std::vector<const Agreement*> stamped_;  ///< that wait for their turn, or have it
    int under_way_ = 0;
    std::uint64_t clock_ = 0;
};

}  // namespace railyard::mpi
