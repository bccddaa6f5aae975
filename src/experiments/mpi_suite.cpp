#include "experiments/mpi_suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

/// Whom a procedure calls back.
struct Caller {
    Context& context;
    bool knows_empty_queue = false;  ///< from a run with another queue
};

Caller& caller(void* to) {
    return *static_cast<Caller*>(to);
}

results::Parameters parameters_of(const suite_row& row) {
    results::Parameters parameters;
    for (int i = 0; i < row.parameter_count; ++i) {
        const suite_parameter& p = row.parameters[i];
        if (p.text != nullptr)
            parameters[p.name] = std::string(p.text);
        else
            parameters[p.name] = std::int64_t{p.number};
    }
    return parameters;
}

void emit(void* to, const suite_row* row) {
    results::Parameters parameters = parameters_of(*row);
    const auto queue = parameters.find(results::parameter::queue);
    if (caller(to).knows_empty_queue && queue != parameters.end() &&
        queue->second == results::Value(std::int64_t{0}))
        return;
    caller(to).context.emit(std::move(parameters), row->metric, row->unit,
                            results::summarize({row->samples, row->samples + row->sample_count}));
}

void progress(void* to, const char* what) {
    caller(to).context.progress(what);
}

void idle(void* to, double seconds) {
    caller(to).context.rank().host().compute(Duration::from_seconds(seconds));
}

}  // namespace

const suite_experiment& procedure_named(std::string_view name) {
    int count = 0;
    const suite_experiment* const all = suite_experiments(&count);
    const auto found =
        std::find_if(all, all + count, [&](const auto& p) { return p.name == name; });
    if (found == all + count) throw Error(fmt::format("the MPI suite has no procedure {}", name));
    return *found;
}

void run_procedure(Context& context, const MpiSession& session, const suite_experiment& procedure,
                   std::span<const Bytes> sizes, const Sampling& rounds) {
    std::vector<long long> counts;
    for (const Bytes size : sizes)
        counts.push_back(static_cast<long long>(size.count()));
    Caller caller{context};
    suite_request request{};
    request.sizes = counts.data();
    request.size_count = static_cast<int>(counts.size());
    request.window = static_cast<int>(context.request().window);
    request.warmup = static_cast<int>(rounds.warmup);
    request.batches = static_cast<int>(rounds.samples);
    request.iterations = static_cast<int>(rounds.batch);
    request.init_seconds = session.init_time().seconds();
    request.emit = emit;
    request.progress = progress;
    request.idle = idle;
    request.to = &caller;
    std::vector<unsigned> queues = context.request().queues;
    std::erase(queues, 0U);                   // measured beside every other
    if (queues.empty()) queues.push_back(0);  // the usual one, if the procedure has any
    for (const unsigned queue : queues) {
        request.queue = static_cast<int>(queue);
        procedure.run(&request);
        caller.knows_empty_queue = true;
    }
}

void run_procedure(Context& context, const MpiSession& session, const suite_experiment& procedure,
                   Rounds rounds) {
    const std::vector<Bytes>& sizes = context.request().sizes;
    auto begin = sizes.begin();
    do {
        const Sampling sampling = rounds(context, begin == sizes.end() ? Bytes(0) : *begin);
        const auto end = std::find_if(
            begin, sizes.end(), [&](Bytes size) { return !(rounds(context, size) == sampling); });
        run_procedure(context, session, procedure, std::span(begin, end), sampling);
        begin = end;
    } while (begin != sizes.end());
}

}  // namespace railyard::experiments
