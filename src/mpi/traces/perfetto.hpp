#pragma once
/// A run as Perfetto and Chrome's tracing open it: a lane a rank with computing and calls, and an
/// arrow for each message.

#include <string>

#include "mpi/traces/run_record.hpp"
#include "railyard/base/time.hpp"

namespace railyard::mpi::traces {

/// What of the run is shown: calls and messages that lie in it at least in part.
struct Span {
    Duration from{};
    Duration to = Duration::forever();
};

/// All ranks are threads of one process of this number; others may add lanes with higher ones.
inline constexpr int ranks_process = 1;

/// A list of JSON objects with commas between, none behind the last.
std::string perfetto_events(const RunRecord& run, const Span& span);

/// The whole file.
std::string perfetto_file(const RunRecord& run, const Span& span);

}  // namespace railyard::mpi::traces
