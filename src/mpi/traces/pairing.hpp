#pragma once
/// Puts sends and receives together (recording/recorder.hpp says why it is right), and finds the
/// calls in which they were complete.

#include <cstdint>
#include <vector>

#include "mpi/traces/run_record.hpp"

namespace railyard::mpi::traces {

/// In place of a call, until find_calls().
inline constexpr std::size_t to_be_found = no_call - 1;

struct HalfSend {
    Message message;
};
struct HalfReceive {
    Message message;
    std::uint32_t number = 0;  ///< of posting, at its rank
};

/// Sends of one rank in their order. Those without a partner remain as halves.
std::vector<Message> paired(std::vector<HalfSend> sends, std::vector<HalfReceive> receives);

/// By their times: the outermost calls in which sends and receives were complete.
void find_calls(RunRecord& run);

/// The call that the rank was in at that time, outermost; none: it computed. A call's end counts.
std::size_t call_at(const RankRecord& rank, Time time);

}  // namespace railyard::mpi::traces
