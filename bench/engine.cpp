/// What virtual time costs: how many events and switches a second of processor time holds.

#include "sim/engine.hpp"

#include "base/clock.hpp"
#include "bench/duel.hpp"
#include "bench/suite.hpp"

namespace railyard::bench {

namespace {

/// Runs the engine and says how many millions of `things` a second that was.
double millions_per_second(sim::Engine& engine, double things) {
    const double start = thread_clock::now().seconds();
    engine.run();
    return things / (thread_clock::now().seconds() - start) / 1e6;
}

/// `pending` chains of events, each scheduling its successor at some later time.
struct Chain {
    sim::Engine& engine;
    unsigned& left;
    std::uint64_t state;  ///< of a small generator: the same times in every run

    void operator()() {
        if (left == 0) return;
        --left;
        state = state * 6364136223846793005U + 1442695040888963407U;
        engine.schedule(engine.now() + Duration::ps(static_cast<std::int64_t>(state >> 44)),
                        Chain(*this));
    }
};

double events(unsigned pending) {
    constexpr unsigned count = 1'000'000;
    sim::Engine engine;
    unsigned left = count;
    for (unsigned i = 0; i < pending; ++i)
        engine.schedule(Time(), Chain{engine, left, i * 0x9e3779b97f4a7c15U});
    return millions_per_second(engine, count);
}

/// Fibers that wait a picosecond, over and over: two switches a turn, out and back in.
double switches(unsigned fibers) {
    constexpr unsigned count = 500'000;
    sim::Engine engine;
    for (unsigned i = 0; i < fibers; ++i) {
        engine.spawn("fiber", [&engine, turns = count / fibers] {
            for (unsigned turn = 0; turn < turns; ++turn)
                engine.sleep_until(engine.now() + Duration::ps(1));
        });
    }
    return millions_per_second(engine, 2.0 * (count / fibers) * fibers);
}

}  // namespace

void engine(const Settings& settings, const Report& report) {
    constexpr double switch_of_60_ns = 1e3 / 60;
    const auto figure = [&](std::string name, std::string note, double target,
                            double (*measure)(unsigned), unsigned argument) {
        std::vector<double> values;
        for (unsigned i = 0; i < settings.rounds; ++i)
            values.push_back(measure(argument));
        report({.name = std::move(name),
                .unit = "million/s",
                .ours = median(values),
                .target = Target{Target::Kind::at_least, target, 0, true},
                .note = std::move(note)});
    };
    figure("engine/events", "64 pending", 8, events, 64);
    figure("engine/events-many", "64 Ki pending", 8, events, 64 << 10);
    figure("engine/switches", "2 fibers", switch_of_60_ns, switches, 2);
    figure("engine/switches-many", "1000 fibers", switch_of_60_ns, switches, 1000);
}

}  // namespace railyard::bench
