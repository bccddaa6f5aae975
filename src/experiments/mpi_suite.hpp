#pragma once
/// Runs procedures of the MPI suite (src/programs/suite), which are ordinary MPI code, as
/// experiments: on the ranks of a job, with what a Request asks for, and with Rows for results.

#include <span>
#include <string_view>

#include "experiments/experiment.hpp"
#include "experiments/mpi_session.hpp"
#include "experiments/sampling.hpp"
#include "railyard/base/bytes.hpp"
#include "suite/suite.h"

namespace railyard::experiments {

/// The procedure of that name. Throws Error if there is none.
const suite_experiment& procedure_named(std::string_view name);

/// Runs a procedure for these sizes, equally often for each. All ranks call it.
void run_procedure(Context& context, const MpiSession& session, const suite_experiment& procedure,
                   std::span<const Bytes> sizes, const Sampling& rounds);

/// How often messages of a size are measured.
using Rounds = Sampling (*)(const Context&, Bytes size);

/// The same for all sizes of the request. Those that are measured equally often go through the
/// procedure together, since it allocates its buffers once a call.
void run_procedure(Context& context, const MpiSession& session, const suite_experiment& procedure,
                   Rounds rounds);

}  // namespace railyard::experiments
