#pragma once
/// Two processes that look after each other, so that nothing of a job stays behind whichever of the
/// two is killed, and whatever ranks have started: the guardian, which the user's shell and
/// terminal know, and the launcher, which has the ranks. Both adopt orphans.

#include <sys/types.h>

#include <span>

#include "base/descriptor.hpp"

namespace railyard::job {

/// Splits this process, which has one thread. The launcher goes on from here, in a
/// process session of its own, where no terminal reaches it; what is returned becomes readable when
/// the guardian is gone. The guardian stays behind: it passes signals on, hands the terminal's
/// input over as long as the terminal is its own to read, stops and goes on with the job as the
/// shell wants, and exits as the launcher does. Throws Error.
Descriptor guard_this_process();

/// Kills every child that this process has but for those, and theirs, and waits for them: in a
/// process that adopts orphans (PR_SET_CHILD_SUBREAPER). It finds them in /proc; without that it
/// does nothing.
void end_descendants(std::span<const pid_t> spared = {});

}  // namespace railyard::job
