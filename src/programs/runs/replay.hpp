#pragma once
/// Makes the MPI calls of a recording again: messages of the same sizes to the same ranks, from
/// memory that is laid out the same, without what the program computed.

#include <cstddef>
#include <span>

#include "mpi/calls/call.hpp"
#include "programs/runs/recording.hpp"
#include "railyard/host.hpp"

namespace railyard::runs {

/// Throws Error if not all calls can be made again, and says which cannot. `file`: where the
/// recording is from.
void check_replayable(const Recording& recording, const std::string& file);

/// From MPI_Init to MPI_Finalize, on the rank that calls it. Returns the seconds between the rank's
/// first look at the clock (MPI_Wtime) and its last. Throws Error where the recording makes no
/// sense.
double replay_calls(const Recording& recording, std::size_t rank);

/// Charges a rank the computation of a recording, times a factor, before each of its calls.
class ChargingWatch final : public mpi::calls::CallWatch {
  public:
    /// All outlive it.
    ChargingWatch(fabric::Host& host, std::span<const Nanoseconds> times, double factor)
        : host_(host), times_(times), factor_(factor) {}

    void entered(mpi::calls::Function function, std::span<const mpi::calls::Word>) override;
    void left(mpi::calls::Function) override { --depth_; }
    void finalised(const mpi::Counters&) override {}

  private:
    fabric::Host& host_;
    std::span<const Nanoseconds> times_;  ///< of the calls to come
    const double factor_;
    unsigned depth_ = 0;  ///< calls that the rank is inside of
};

}  // namespace railyard::runs
