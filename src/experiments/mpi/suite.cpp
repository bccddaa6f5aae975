#include "experiments/mpi/suite.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "experiments/core/exchange.hpp"
#include "mpi/abi/usage.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

namespace metric = results::metric;
namespace unit = results::unit;
using mpi::abi::Usage;

}  // namespace

MpiSession::MpiSession(Context& context) : context_(context) {
    fabric::Host& host = context.rank().host();
    const Time start = host.now();
    MPI_Init(nullptr, nullptr);
    init_time_ = host.now() - start;
}

void MpiSession::finish() {
    MPI_Finalize();
}

MpiSession::Means MpiSession::gather(std::string_view key) {
    job::Rank& rank = context_.rank();
    const Usage mine = mpi::abi::usage();
    rank.bootstrap().put(key, std::as_bytes(std::span(&mine, 1)));
    if (rank.id() != 0) return {};
    Usage sum;
    for (int r = 0; r < rank.size(); ++r) {
        const Usage usage = values_of<Usage>(rank, r, key).at(0);
        sum.queue_pairs += usage.queue_pairs;
        sum.connections += usage.connections;
        sum.used += usage.used;
        sum.bytes += usage.bytes;
    }
    const auto mean = [&](std::uint64_t total) { return static_cast<double>(total) / rank.size(); };
    return {.queue_pairs = mean(sum.queue_pairs),
            .connections = mean(sum.connections),
            .used = mean(sum.used),
            .bytes = mean(sum.bytes)};
}

void MpiSession::emit_connections(std::string_view key, const results::Parameters& parameters) {
    const Means means = gather(key);
    context_.emit(parameters, metric::vis_per_process, unit::vis,
                  results::single(means.queue_pairs));
}

void MpiSession::emit_connections_in_full(std::string_view key,
                                          const results::Parameters& parameters) {
    const Means means = gather(key);
    context_.emit(parameters, metric::vis_per_process, unit::vis,
                  results::single(means.queue_pairs));
    if (means.connections > 0)
        context_.emit(parameters, metric::resource_utilization, unit::fraction,
                      results::single(means.used / means.connections));
    context_.emit(parameters, metric::connection_memory, unit::bytes, results::single(means.bytes));
}

void MpiSession::emit_destinations(std::string_view key, const results::Parameters& parameters) {
    const Means means = gather(key);
    // Where nobody connects, nobody counts.
    if (means.connections > 0)
        context_.emit(parameters, metric::destinations_per_process, unit::processes,
                      results::single(means.used));
}

namespace {

/// Whom a procedure calls back.
struct Caller {
    Context& context;
    bool knows_empty_queue = false;             ///< from a run with another queue
    std::vector<results::Row>* kept = nullptr;  ///< in place of being emitted at once
};

Caller& caller(void* to) {
    return *static_cast<Caller*>(to);
}

results::Parameters row_parameters(const suite_row& row) {
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

void emit_row(void* to, const suite_row* row) {
    results::Parameters parameters = row_parameters(*row);
    const auto queue = parameters.find(results::parameter::queue);
    if (caller(to).knows_empty_queue && queue != parameters.end() &&
        queue->second == results::Value(std::int64_t{0}))
        return;
    const auto statistics = results::summarize({row->samples, row->samples + row->sample_count});
    if (caller(to).kept == nullptr)
        return caller(to).context.emit(std::move(parameters), row->metric, row->unit, statistics);
    caller(to).kept->push_back({.experiment = {},
                                .fabric = {},
                                .parameters = std::move(parameters),
                                .metric = row->metric,
                                .value = statistics.p50,
                                .unit = row->unit,
                                .statistics = statistics});
}

void tell_progress(void* to, const char* what) {
    caller(to).context.progress(what);
}

void idle(void* to, double seconds) {
    caller(to).context.rank().host().compute(Duration::from_seconds(seconds));
}

/// As many as move that much, within limits.
unsigned fitting(Bytes budget, Bytes each, unsigned least, unsigned most) {
    if (each.count() == 0) return most;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(budget / each, least, most));
}

/// A library uses the buffers that it keeps for a peer in turn, and an adapter meets each of them
/// for the first time once: the steady state begins after that.
constexpr unsigned round_of_buffers = 40;

}  // namespace

const suite_experiment& procedure_named(std::string_view name) {
    int count = 0;
    const suite_experiment* const all = suite_experiments(&count);
    const auto found =
        std::find_if(all, all + count, [&](const auto& p) { return p.name == name; });
    if (found == all + count) throw Error(fmt::format("the MPI suite has no procedure {}", name));
    return *found;
}

namespace {

void call(Caller& caller, const MpiSession& session, const suite_experiment& procedure,
          std::span<const Bytes> sizes, const Sampling& rounds) {
    const Context& context = caller.context;
    std::vector<long long> counts;
    for (const Bytes size : sizes)
        counts.push_back(static_cast<long long>(size.count()));
    suite_request request{};
    request.sizes = counts.data();
    request.size_count = static_cast<int>(counts.size());
    request.window = static_cast<int>(context.request().window);
    request.warmup = static_cast<int>(rounds.warmup);
    request.batches = static_cast<int>(rounds.samples);
    request.iterations = static_cast<int>(rounds.batch);
    request.init_seconds = session.init_time().seconds();
    request.emit = emit_row;
    request.progress = tell_progress;
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

/// By a message: who waits outside MPI makes no progress in it, and others may need that.
bool tell_by_mpi(const std::string&, bool mine) {
    int word = mine ? 1 : 0;
    MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return word != 0;
}

/// Keeps a procedure of real time within its budget: each size gets its share of what is left, by
/// how long iterations took at the size before. Rank 0's clock is the one that counts.
class SizePace {
  public:
    SizePace(Context& context, Duration budget)
        : host_(context.rank().host()), end_(host_.now() + budget) {}

    /// As many iterations as fit, and some in any case; on all ranks alike.
    Sampling fit(Bytes size, std::size_t sizes_left, Sampling wanted) {
        const Duration share = (end_ - host_.now()) / static_cast<std::int64_t>(sizes_left);
        double part = 1;
        if (each_ > 0) {
            // Rather too long: no more than in proportion to the size.
            const double growth = static_cast<double>(size.count()) /
                                  static_cast<double>(std::max<std::uint64_t>(size_.count(), 1));
            const double each = each_ * std::clamp(growth, 1.0, 2.0);
            part = share.seconds() / (each * static_cast<double>(wanted.total()));
        }
        MPI_Bcast(&part, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (part < 1) {
            wanted.warmup = least_of(part, wanted.warmup);
            wanted.batch = least_of(part, wanted.batch);
        }
        size_ = size;
        iterations_ = wanted.total();
        start_ = host_.now();
        return wanted;
    }
    void done() { each_ = (host_.now() - start_).seconds() / static_cast<double>(iterations_); }

  private:
    static unsigned least_of(double part, unsigned wanted) {
        return std::max(std::min(wanted, 2U),
                        static_cast<unsigned>(std::max(part, 0.0) * static_cast<double>(wanted)));
    }

    fabric::Host& host_;
    Time end_;
    Time start_;
    Bytes size_;
    std::uint64_t iterations_ = 0;
    double each_ = 0;  ///< seconds; 0: nobody knows
};

}  // namespace

void run_procedure(Context& context, const MpiSession& session, const suite_experiment& procedure,
                   std::span<const Bytes> sizes, const Sampling& rounds) {
    Caller caller{context};
    call(caller, session, procedure, sizes, rounds);
}

void run_steady_procedure(Context& context, const MpiSession& session,
                          const suite_experiment& procedure, Rounds rounds) {
    if (!settles(context)) return run_procedure(context, session, procedure, rounds);
    for (const Bytes size : context.request().sizes) {
        std::vector<results::Row> rows;
        const Rates rates = steady_rates(
            context, "suite/" + std::to_string(size.count()), rounds(context, size),
            [&](const Sampling& sampling, const std::string&) {
                rows.clear();
                Caller caller{.context = context, .kept = &rows};
                call(caller, session, procedure, std::span(&size, 1), sampling);
                // A procedure of rates measures one thing at a size.
                return rows.empty() ? std::vector<double>{} : std::vector{rows.front().value};
            },
            {.tell = tell_by_mpi});
        for (results::Row& row : rows) {
            row.steady = rates.steady;
            context.emit(std::move(row));
        }
    }
}

void run_procedure(Context& context, const MpiSession& session, const suite_experiment& procedure,
                   Rounds rounds) {
    const std::vector<Bytes>& sizes = context.request().sizes;
    if (const auto budget = context.request().time_budget;
        budget && !context.virtual_time() && !context.request().iterations) {
        SizePace pace(context, *budget);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const Sampling sampling =
                pace.fit(sizes[i], sizes.size() - i, rounds(context, sizes[i]));
            run_procedure(context, session, procedure, std::span(&sizes[i], 1), sampling);
            pace.done();
        }
        if (!sizes.empty()) return;
    }
    auto begin = sizes.begin();
    do {
        const Sampling sampling = rounds(context, begin == sizes.end() ? Bytes(0) : *begin);
        const auto end = std::find_if(
            begin, sizes.end(), [&](Bytes size) { return !(rounds(context, size) == sampling); });
        run_procedure(context, session, procedure, std::span(begin, end), sampling);
        begin = end;
    } while (begin != sizes.end());
}

Sampling ping_pong_rounds(const Context& context, Bytes size) {
    if (context.virtual_time()) return with_wishes(context, round_of_buffers, 6, 1);
    return latency_sampling(context, size);
}

Sampling window_rounds(const Context& context, Bytes size) {
    const Bytes window = size * context.request().window;
    if (context.virtual_time())
        return with_wishes(context, 1, fitting(Bytes(64 << 20), window, 2, 8), 1);
    const bool quick = context.request().quick;
    const unsigned n = fitting(Bytes(8ULL << 30), window, 20, quick ? 20 : 100);
    return with_wishes(context, 2, n, 10);
}

Sampling train_rounds(const Context& context, Bytes size) {
    if (context.virtual_time())
        return with_wishes(context, 2, fitting(Bytes(16 << 20), size, 4, 1024), 1);
    const unsigned most = context.request().quick ? 1'000 : 10'000;
    return with_wishes(context, 100, fitting(Bytes(4ULL << 30), size, 100, most), 10);
}

Sampling reuse_rounds(const Context& context, Bytes) {
    if (context.virtual_time()) return with_wishes(context, round_of_buffers, 8, 1);
    return with_wishes(context, 100, context.request().quick ? 256 : 1000, 10);
}

Sampling queue_rounds(const Context& context, Bytes) {
    if (context.virtual_time()) return with_wishes(context, round_of_buffers, 4, 1);
    return with_wishes(context, 100, context.request().quick ? 500 : 5'000, 50);
}

Sampling thousand_rounds(const Context& context, Bytes) {
    return with_wishes(context, 0, 1'000, 1);
}

Sampling collective_rounds(const Context& context, Bytes size) {
    if (context.virtual_time())
        return with_wishes(context, 4, fitting(Bytes(1 << 20), size, 4, 20), 1);
    const unsigned most = context.request().quick ? 200 : 2'000;
    return with_wishes(context, 20, fitting(Bytes(1ULL << 30), size, 20, most), 20);
}

}  // namespace railyard::experiments
