#pragma once
/// A call that is for several hosts: another launcher's job, which this process becomes.

#include <string>

#include "launch/mpiexec/call.hpp"

namespace railyard::mpiexec {

/// Whether ranks are to be on other hosts than this one, or with another engine than our own.
bool is_for_several_hosts(const Call& call);

/// `name` is the command's. Returns the engine's exit code, unless this process has become the
/// engine. Throws UsageError for options that only our own launcher has, and Error if there is no
/// engine here.
int run_on_several_hosts(const std::string& name, const Call& call);

}  // namespace railyard::mpiexec
