#pragma once
/// Collective calls: which they are, and how many a rank has made on each communicator. All ranks
/// of one make the same in the same order, so a number says which call it is.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "launch/job/standstill.hpp"
#include "mpi/checking/call_text.hpp"

namespace railyard::mpi::checking {

/// How a collective call behaves.
enum class Together : std::uint8_t {
    no,        ///< it is none
    blocking,  ///< it may wait for the others
    starting,  ///< it returns a request, or makes a persistent one
};
Together together(Function function);

/// The communicator whose ranks make the call together, or null if the handle is wrong.
const Communicator* met_on(const MadeCall& call, Objects& objects);
/// All of them, of both groups of an inter-communicator, as ranks of the job.
std::vector<int> ranks_of(const Communicator& comm);

/// Of one rank.
class Meetings {
  public:
    using Meeting = job::Waiting::Meeting;

    Meeting next(const Communicator& comm) {
        Last& last = last_[comm.context()];
        if (last.serial != comm.serial()) last = {comm.serial(), 0};
        return {comm.context(), ++last.number};
    }
    std::vector<Meeting> last() const;

  private:
    struct Last {
        std::uint64_t serial = 0;
        std::uint64_t number = 0;
    };
    std::map<std::uint32_t, Last> last_;  ///< by context
};

}  // namespace railyard::mpi::checking
