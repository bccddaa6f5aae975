#pragma once
/// Processes that ranks started and left behind.

namespace railyard::job {

/// Kills every child that this process still has, and theirs, and waits for them. To be called once
/// all ranks have ended, by a process that adopts orphans (PR_SET_CHILD_SUBREAPER) and has no
/// children of its own.
void end_leftovers();

}  // namespace railyard::job
