/// hotspot-recv: a master releases its slaves with a small message each, and each answers with one.
/// liu04 fig. 11b.

#include "experiments/star.hpp"
#include "experiments/sweep.hpp"

namespace railyard::experiments {

namespace {

Sampling counts(const Context& context, Bytes size) {
    Sampling sampling = latency_sampling(context, size);
    if (context.virtual_time() || context.request().iterations) return sampling;
    // Several ranks may share a core, and take their time.
    const unsigned iterations = context.request().quick ? 100 : 1'000;
    return {iterations / 10, 20, iterations / 20};
}

void slave(Line& line, const Sampling& sampling) {
    for (unsigned n = sampling.warmup + sampling.samples * sampling.batch; n > 0; --n) {
        line.await();
        line.send();
        line.tidy();
    }
}

/// Each iteration, in us.
std::vector<double> master(fabric::Host& host, Lines& lines, unsigned slaves,
                           const Sampling& sampling) {
    const auto times = time_batches(host, sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            for (unsigned i = 1; i <= slaves; ++i)
                lines.with(i).send();
            for (unsigned i = 1; i <= slaves; ++i)
                lines.with(i).await();
            for (unsigned i = 1; i <= slaves; ++i)
                lines.with(i).tidy();
        }
    });
    return microseconds(times, sampling.batch);
}

void measure_receive(Context& context, Star& star, fabric::Op op, Bytes size) {
    Lines lines(star, op, size);
    const Sampling sampling = counts(context, size);
    for (unsigned slaves = 1; slaves <= star.slaves(); ++slaves) {
        if (static_cast<unsigned>(star.rank().id()) > slaves) continue;
        // So that no completion comes in the middle of a few iterations.
        for (unsigned i = 1; i <= (star.master() ? slaves : 1); ++i)
            star.pair(i).settle();
        if (!star.master()) {
            slave(lines.with(1), sampling);
            continue;
        }
        context.emit(parameters_of(context, op, size, slaves), results::metric::iteration_latency,
                     results::unit::microseconds,
                     results::summarize(master(star.host(), lines, slaves, sampling)));
    }
    // No slave greets the master for what comes next while the last iteration is being timed.
    star.rank().bootstrap().fence();
}

}  // namespace

void hotspot_recv(Context& context) {
    Star star(context, "hotspot-recv", largest_size(context));
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (watchable(context, star.any_pair(), op, size)) measure_receive(context, star, op, size);
    });
    star.part();
}

}  // namespace railyard::experiments
