#pragma once
/// Compares the collective calls of all ranks of a communicator, number by number. In each that
/// blocks, a rank tells the first of them, the judge, what it calls, and what it has started since
/// the last such call; then it waits for the judge's word, so that a mistake is told before
/// anything is lost by it, and nothing is under way when the communicator goes. Where the judge
/// itself never calls, a rank waits here, and the report of the deadlock says so.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mpi/checking/collective_call.hpp"
#include "mpi/checking/objects.hpp"

namespace railyard::mpi::checking {

class CollectiveCheck {
  public:
    explicit CollectiveCheck(Objects& objects) : objects_(objects) {}

    /// Before the call does its work. Ends the job if calls do not match.
    void entered(const MadeCall& call, Comm& comm, std::uint64_t number, bool blocks);
    /// Looks at what others have told who are further than this rank.
    void look_around();

  private:
    /// The calls of one number.
    struct Round {
        std::vector<std::optional<CollectiveCall>> calls;  ///< by rank
        std::size_t missing = 0;
    };
    struct Place {
        Comm* comm = nullptr;
        Communicator* ranks = nullptr;  ///< all, of both groups if there are two
        Groups groups;
        int handle = 0;
        std::uint64_t serial = 0;             ///< tells it from others that have its context later
        std::vector<CollectiveCall> to_tell;  ///< calls that did not block
        // Of a judge.
        std::map<std::uint64_t, Round> rounds;
        std::vector<std::uint64_t> heard;  ///< by rank: the number of its last call
    };

    Place& place_of(Comm& comm);
    void tell(Place& place);
    /// What the rank has told, if it has.
    void hear(Place& place, int rank);
    void hear_what_came(Place& place);
    void add(Place& place, int rank, CollectiveCall call);
    void compare(const Place& place, const Round& round);
    [[noreturn]] void report(const Place& place, std::size_t one, const CollectiveCall& first,
                             std::size_t other, const CollectiveCall& second,
                             const std::string& why);

    Objects& objects_;
    std::map<std::uint32_t, Place> places_;  ///< by context
};

}  // namespace railyard::mpi::checking
