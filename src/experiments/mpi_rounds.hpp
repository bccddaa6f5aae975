#pragma once
/// How often the procedures of the MPI suite repeat what they measure, by the clock and by size.

#include "experiments/experiment.hpp"
#include "experiments/sampling.hpp"
#include "railyard/base/bytes.hpp"

namespace railyard::experiments {

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
