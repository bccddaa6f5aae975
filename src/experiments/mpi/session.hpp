#pragma once
/// MPI on a rank of an experiment: from MPI_Init, which is timed, to MPI_Finalize; and what became
/// of the connections in between.

#include <string_view>

#include "experiments/core/experiment.hpp"
#include "railyard/base/time.hpp"

namespace railyard::experiments {

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

}  // namespace railyard::experiments
