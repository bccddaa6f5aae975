#pragma once
/// How what ranks compute between their MPI calls is charged in virtual time: not at all, as
/// measured, or as it was recorded before.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "programs/runs/compute_choice.hpp"
#include "programs/runs/recorder.hpp"
#include "programs/runs/recording.hpp"
#include "railyard/base/time.hpp"

namespace railyard::runs {

/// Of all ranks of one run.
class Computation {
  public:
    /// `words`: the program and its arguments. Reads the file of a replay, and sees that a
    /// recording can be written. Throws Error; UsageError if the file is of another run than this.
    Computation(const ComputeChoice& choice, const std::vector<std::string>& words, int ranks);

    bool is_charged() const { return choice_.from != ComputeChoice::From::nowhere; }
    /// What was read.
    const Recording& recording() const { return recording_; }

    /// A call of that rank ends, and it computes.
    void begin(std::size_t rank);
    /// The rank's next call comes. How long it has computed; `beside`: threads of it, meanwhile.
    Duration end(std::size_t rank, mpi::calls::Function function,
                 std::span<const mpi::calls::Word> arguments, Duration beside = {});

    /// The run is over and went well: writes the recording, in one step. Throws Error if that
    /// fails, or if the program has made other MPI calls than when it was recorded.
    void finish();

  private:
    void read(const std::vector<std::string>& words, int ranks);
    void check_calls() const;
    void write();

    const ComputeChoice choice_;
    Recording recording_;              ///< what was read, or is to be written
    std::vector<Recorder> recorders_;  ///< by rank
    std::vector<std::size_t> calls_;   ///< by rank: how many it has made
    /// By rank, on the thread's clock; none: it has left no call yet.
    std::vector<std::optional<Duration>> began_;
    Duration cost_of_reading_;  ///< the thread's clock
};

}  // namespace railyard::runs
