#pragma once
/// Runs procedures of the MPI suite (src/programs/suite), which are ordinary MPI code, as
/// experiments: on the ranks of a job, with what a Request asks for, and with Rows for results; and
/// how often they repeat what they measure, by the clock and by size.

#include <span>
#include <string_view>

#include "experiments/core/experiment.hpp"
#include "experiments/core/sampling.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "suite/suite.h"

namespace railyard::experiments {

/// MPI on a rank of an experiment: from MPI_Init, which is timed, to MPI_Finalize; and what became
/// of the connections in between.
class MpiSession {
  public:
    explicit MpiSession(Context& context);
    /// To be called last, by all ranks. Whoever fails leaves MPI as it is: the job ends anyway.
    void finish();

    Duration init_time() const { return init_time_; }

    /// Emits how many connections a rank has made so far, on average, with these parameters; all
    /// ranks call it. `key` is unique in the job. Nobody is asked by a message, since that would
    /// make connections.
    void emit_connections(std::string_view key, const results::Parameters& parameters);
    /// The same, and what share of them was used, and how much memory they hold.
    void emit_connections_in_full(std::string_view key, const results::Parameters& parameters);
    /// The same way: how many ranks a rank has exchanged messages with, on average.
    void emit_destinations(std::string_view key, const results::Parameters& parameters);

  private:
    struct Means {
        double queue_pairs = 0;
        double connections = 0;
        double used = 0;
        double bytes = 0;
    };
    Means gather(std::string_view key);

    Context& context_;
    Duration init_time_;
};

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

/// The same for rates: in virtual time with ever more rounds, until those of a size are steady.
void run_steady_procedure(Context& context, const MpiSession& session,
                          const suite_experiment& procedure, Rounds rounds);

/// Round trips of one message.
Sampling ping_pong_rounds(const Context& context, Bytes size);
/// Windows of messages, as many to a sample as one acknowledgment at the end must be lost among.
Sampling window_rounds(const Context& context, Bytes size);
/// Single messages in trains that are long enough for the rate of the slowest part to show.
Sampling train_rounds(const Context& context, Bytes size);
/// Every iteration takes a buffer of its own, of which there are 1024.
Sampling reuse_rounds(const Context& context, Bytes size);
/// Past a queue of a thousand entries.
Sampling queue_rounds(const Context& context, Bytes size);
/// wu02's 1000 repetitions, also in virtual time: the making of a connection is spread over them.
Sampling thousand_rounds(const Context& context, Bytes size);
/// Collective operations.
Sampling collective_rounds(const Context& context, Bytes size);

}  // namespace railyard::experiments
