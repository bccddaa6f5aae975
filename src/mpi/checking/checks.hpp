#pragma once
/// All that watches a rank's calls for mistakes, as its settings want it.

#include <optional>

#include "mpi/calls/call.hpp"
#include "mpi/checking/checker.hpp"
#include "mpi/checking/objects.hpp"
#include "mpi/checking/wait_watch.hpp"

namespace railyard::mpi::checking {

class Checks {
  public:
    /// In virtual time always: there a deadlock is found at no cost.
    static bool are_wanted(Process& process);

    /// The objects outlive the rank's last call.
    explicit Checks(Objects& objects);

    /// They live as long as this.
    void add_to(calls::CallWatches& watches);

  private:
    WaitWatch waits_;
    std::optional<Checker> checker_;  ///< none: only waits are watched
};

}  // namespace railyard::mpi::checking
