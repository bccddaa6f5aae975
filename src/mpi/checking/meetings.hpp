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

/// The communicator whose ranks make the call together, or null if the handle is wrong; and the
/// handle, of it or of a window, which tells it from others that have its context later.
struct MetOn {
    const Communicator* comm = nullptr;
    int handle = 0;
};
MetOn met_on(const MadeCall& call, Objects& objects);
/// All of them, of both groups of an inter-communicator, as ranks of the job.
std::vector<int> ranks_of(const Communicator& comm);

/// Of one rank.
class Meetings {
  public:
    using Meeting = job::Waiting::Meeting;

    Meeting next(const MetOn& on) {
        Last& last = last_[on.comm->context()];
        if (last.handle != on.handle) last = {on.handle, 0};
        return {on.comm->context(), ++last.number};
    }
    std::vector<Meeting> last() const;

  private:
    struct Last {
        int handle = 0;
        std::uint64_t number = 0;
    };
    std::map<std::uint32_t, Last> last_;  ///< by context
};

}  // namespace railyard::mpi::checking
