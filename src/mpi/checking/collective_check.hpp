#pragma once
/// Compares the collective calls of all ranks of a communicator, number by number. Each tells the
/// first of them, the judge, what it calls. Those that block wait for its word, so that a mistake
/// is told before anything is lost by it; where the judge itself never calls, a rank waits here,
/// and the report of the deadlock says so.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/checking/collective_call.hpp"
#include "mpi/checking/objects.hpp"

namespace railyard::mpi::checking {

class CollectiveCheck {
  public:
    explicit CollectiveCheck(Objects& objects) : objects_(objects) {}

    /// Before the call does its work. Ends the job if calls do not match.
    void entered(const MadeCall& call, Comm& comm, std::uint64_t number, bool blocks);
    /// The communicator is about to go.
    void forget(std::uint32_t context) { places_.erase(context); }
    /// Looks at what has been told of calls that do not block.
    void look_around();

  private:
    /// The calls of one number.
    struct Round {
        std::vector<std::optional<CollectiveCall>> calls;  ///< by rank
        std::size_t missing = 0;
    };
    /// Of a judge.
    struct Place {
        Comm* comm = nullptr;
        std::map<std::uint64_t, Round> rounds;
        std::vector<std::uint64_t> heard;  ///< by rank: the number of its last call
    };

    Place& place_of(Comm& comm);
    void tell(Comm& comm, const CollectiveCall& call);
    void hear(Place& place, int rank);
    void hear_what_came(Place& place);
    void add(Place& place, int rank, CollectiveCall call);
    void compare(const Place& place, const Round& round);
    [[noreturn]] void report(const Place& place, std::size_t one, const CollectiveCall& first,
                             std::size_t other, const CollectiveCall& second,
                             const std::string& why);
    void let_sends_go();

    Objects& objects_;
    std::map<std::uint32_t, Place> places_;                   ///< by context
    std::deque<std::pair<Request*, std::string>> under_way_;  ///< what was told, until it has left
};

}  // namespace railyard::mpi::checking
