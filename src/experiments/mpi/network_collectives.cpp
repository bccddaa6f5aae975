/// network-collectives: barrier and broadcast of all ranks, by the network itself where it can, and
/// by messages. All ranks call at once; what counts is when the last of them is through.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/core/exchange.hpp"
#include "experiments/core/sampling.hpp"
#include "experiments/mpi/suite.hpp"

namespace railyard::experiments {

namespace {

namespace parameter = results::parameter;

/// In virtual time all rounds are alike once the network's way has been made.
Sampling rounds_of(const Context& context) {
    return context.virtual_time() ? with_wishes(context, 2, 2, 2)
                                  : with_wishes(context, 20, 200, 200);
}

class Together {
  public:
    explicit Together(Context& context) : context_(context), rank_(context.rank()) {}

    /// From when all are ready until the last one has returned.
    void measure(const std::function<void()>& call, results::Parameters parameters) {
        const Sampling rounds = rounds_of(context_);
        for (unsigned i = 0; i < rounds.warmup; ++i)
            once(call);
        std::vector<double> times;
        for (unsigned i = 0; i < rounds.samples * rounds.batch; ++i)
            times.push_back(once(call));
        context_.emit(std::move(parameters), results::metric::latency, results::unit::microseconds,
                      results::summarize(times));
    }

  private:
    /// In microseconds; on rank 0.
    double once(const std::function<void()>& call) {
        const std::string key = fmt::format("network-collectives/{}", calls_++);
        rank_.bootstrap().fence();
        const Time start = rank_.host().now();
        call();
        const double mine = (rank_.host().now() - start).microseconds();
        rank_.bootstrap().put(key, std::as_bytes(std::span(&mine, 1)));
        double last = mine;
        for (int r = 1; rank_.id() == 0 && r < rank_.size(); ++r)
            last = std::max(last, values_of<double>(rank_, r, key).at(0));
        return last;
    }

    Context& context_;
    job::Rank& rank_;
    unsigned calls_ = 0;
};

}  // namespace

void network_collectives(Context& context) {
    MpiSession session(context);
    Together together(context);
    const auto collective = [](const char* name) {
        return results::Parameters{{parameter::collective, std::string(name)}};
    };
    context.progress("barrier");
    together.measure([] { MPI_Barrier(MPI_COMM_WORLD); }, collective("barrier"));
    std::vector<std::byte> data(largest_size(context).count());
    for (const Bytes size : context.request().sizes) {
        context.progress(fmt::format("bcast {} bytes", size.count()));
        results::Parameters parameters = collective("bcast");
        parameters[parameter::message_bytes] = static_cast<std::int64_t>(size.count());
        together.measure(
            [&] {
                MPI_Bcast(data.data(), static_cast<int>(size.count()), MPI_BYTE, 0, MPI_COMM_WORLD);
            },
            std::move(parameters));
    }
    session.finish();
}

}  // namespace railyard::experiments
