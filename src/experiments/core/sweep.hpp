#pragma once
/// What experiments have in common: they go through operations and sizes, and name them in their
/// rows.

#include "experiments/core/experiment.hpp"

namespace railyard::experiments {

/// The largest message of the request.
Bytes largest_size(const Context& context);

/// {message_bytes, op, memory}; experiments add their own.
results::Parameters parameters_of(const Context& context, fabric::Op op, Bytes size);

/// Tells the user what is being measured now.
void announce(Context& context, fabric::Op op, Bytes size);

/// Calls `measure(op, size)` for all that the request names.
template <class Measure>
void sweep(Context& context, Measure&& measure) {
    for (const fabric::Op op : context.request().ops) {
        for (const Bytes size : context.request().sizes) {
            announce(context, op, size);
            measure(op, size);
        }
    }
}

}  // namespace railyard::experiments
