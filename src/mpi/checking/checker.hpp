#pragma once
/// What `mpiexec --check` adds: looks at each call before and after its work.

#include <pthread.h>

#include <utility>
#include <vector>

#include "mpi/calls/call.hpp"
#include "mpi/checking/collective_check.hpp"
#include "mpi/checking/request_check.hpp"
#include "mpi/checking/wait_watch.hpp"

namespace railyard::mpi::checking {

class Checker final : public calls::CallWatch {
  public:
    /// Both outlive it. The other is told of each call first.
    Checker(Objects& objects, WaitWatch& waits)
        : objects_(objects), waits_(waits), collectives_(objects), requests_(objects) {
        waits.look_by([this] { collectives_.look_around(); });
    }

    void began(const calls::HandleResolver& resolver) override { requests_.began(resolver); }
    void entered(Function function, std::span<const Word> arguments) override;
    void left(Function function) override;
    void finalised(const Counters&) override {}

  private:
    void check_collective(const MadeCall& call);

    Objects& objects_;
    const WaitWatch& waits_;
    CollectiveCheck collectives_;
    RequestCheck requests_;
    std::vector<std::pair<pthread_t, MadeCall>> calls_;  ///< under way, of all threads
    bool has_ended_ = false;
};

}  // namespace railyard::mpi::checking
