/// multiconn-throughput: both sides stream to each other over many connections in turn; bytes of
/// both directions. rashti07 fig. 2.

#include <algorithm>

#include "experiments/connections.hpp"
#include "experiments/rates.hpp"
#include "experiments/sampling.hpp"

namespace railyard::experiments {

namespace {

/// Messages under way, over all connections together: enough to fill a pipeline, the same for every
/// number of connections, so that nothing else changes with it.
constexpr unsigned outstanding = 64;

class Turns {
  public:
    Turns(Bundle& bundle, Slots& slots) : bundle_(bundle), slots_(slots) {}

    /// Posts and finishes `n` more messages, but for those under way.
    void run(std::uint64_t n) {
        for (const std::uint64_t goal = finished_ + n; finished_ < goal;) {
            while (posted_ - finished_ < outstanding)
                post();
            bundle_.wait([&] {
                const unsigned done = bundle_.poll_sent();
                finished_ += done;
                return done > 0;
            });
        }
    }
    std::uint64_t finished() const { return finished_; }
    void settle() { bundle_.settle(); }

  private:
    void post() {
        bundle_.post(next_, slots_.request(next_));
        next_ = next_ + 1 == slots_.count() ? 0 : next_ + 1;
        ++posted_;
    }

    Bundle& bundle_;
    Slots& slots_;
    std::size_t next_ = 0;
    std::uint64_t posted_ = 0;
    std::uint64_t finished_ = 0;
};

/// MB/s of what this side sends, batch by batch.
std::vector<double> stream(Bundle& bundle, Slots& slots, Bytes size, const Sampling& sampling) {
    Turns turns(bundle, slots);
    bundle.meet();
    turns.run(sampling.warmup);
    std::vector<double> rates;
    for (unsigned i = 0; i < sampling.samples; ++i) {
        const Time start = bundle.host().now();
        const std::uint64_t before = turns.finished();
        turns.run(sampling.batch);
        const auto bytes = static_cast<double>((turns.finished() - before) * size.count());
        rates.push_back(bytes / (bundle.host().now() - start).microseconds());
    }
    // A peer that is not done yet is to find this side at work until its end.
    turns.run(outstanding);
    turns.settle();
    bundle.meet();
    return rates;
}

}  // namespace

void multiconn_throughput(Context& context) {
    for_connections(
        context, "multiconn-throughput", outstanding,
        [&](Bundle& bundle, Slots& slots, Bytes size, const std::string& key) {
            // Whole rounds of all connections, and no less than what is outstanding.
            const unsigned round = std::max(outstanding, static_cast<unsigned>(slots.count()));
            const auto mine = stream(bundle, slots, size, queue_sampling(context, size, round));
            const auto both = sum_of_both(context.rank(), key, mine);
            context.emit(connection_parameters(context, size, slots.count()),
                         results::metric::throughput, results::unit::megabytes_per_second,
                         results::summarize(both));
        });
}

}  // namespace railyard::experiments
