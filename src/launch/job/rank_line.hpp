#pragma once
/// How a rank that is a process reaches its launcher: by frames, through a pipe.

#include "launch/job/real_rank.hpp"

namespace railyard::job {

/// `frames_fd` stays the caller's. Aborting says so, then ends the process. A relayed rank also
/// says what it puts on its board.
RealRank::Starter starter_by_frames(int frames_fd, bool relayed);

/// An exit code as a process can have it: never 0 by accident.
int as_exit_code(int code);

}  // namespace railyard::job
