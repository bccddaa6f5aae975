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

/// The communicator that the call frees; null: none.
Comm* freed_by(const MadeCall& call, Objects& objects);
/// The communicator whose ranks make the call together; null: the handle is wrong.
const Communicator* met_on(const MadeCall& call, Objects& objects);
/// All of them, of both groups of an inter-communicator, as ranks of the job.
std::vector<int> ranks_of(const Communicator& comm);

/// Of one rank.
class Meetings {
  public:
    using Meeting = job::Waiting::Meeting;

    Meeting next(const Communicator& comm) { return {comm.context(), ++numbers_[comm.context()]}; }
    /// The communicator goes, and another may have its context.
    void forget(std::uint32_t context) { numbers_.erase(context); }
    std::vector<Meeting> last() const;

  private:
    std::map<std::uint32_t, std::uint64_t> numbers_;
};

}  // namespace railyard::mpi::checking
