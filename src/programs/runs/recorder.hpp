#pragma once
/// Writes down the MPI calls of a rank as they come.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "mpi/calls/call.hpp"
#include "programs/runs/recording.hpp"

namespace railyard::runs {

class Recorder {
  public:
    explicit Recorder(std::size_t ranks);

    /// The rank enters a call, with the arguments as C has them, and leaves it again: what it
    /// answers is known then.
    void entered(mpi::calls::Function function, std::span<const mpi::calls::Word> arguments);
    void left();

    /// Hands over what was written down. Distinct calls of all ranks are collected in `calls`,
    /// whose places `index` knows.
    Recording::Rank finish(std::vector<RecordedCall>& calls,
                           std::map<RecordedCall, std::uint32_t>& index);

  private:
    bool take(char code, std::span<const mpi::calls::Word>& words);
    bool take_requests(const int* handles, std::int64_t count);
    std::int64_t request_of(int handle);
    std::vector<MemoryUse> memory_in(const RecordedCall& call) const;

    // The call that the rank is in. Memory is an address and 0 so far.
    RecordedCall call_;
    const int* answer_ = nullptr;  ///< where the handle that it makes will be

    std::size_t ranks_;
    std::map<RecordedCall, std::uint32_t> distinct_;
    std::vector<std::uint32_t> sequence_;
    /// What numbers stand for. One handle may stand for several requests that are complete.
    std::map<int, std::vector<std::int64_t>> requests_;
    std::vector<bool> request_taken_;
    std::map<int, std::int64_t> comms_;
    std::vector<bool> comm_taken_;
    std::vector<std::int64_t> spans_world_;  ///< communicators of all ranks
};

}  // namespace railyard::runs
