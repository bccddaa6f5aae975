/// What virtual time costs: how many events and switches a second of the real clock holds.

#include "sim/engine.hpp"

#include <chrono>

#include "bench/duel.hpp"
#include "bench/suite.hpp"

namespace railyard::bench {

namespace {

/// Runs the engine and says how many millions of `things` a second that was.
double millions_per_second(sim::Engine& engine, double things) {
    const auto start = std::chrono::steady_clock::now();
    engine.run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return things / took.count() / 1e6;
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
        engine.schedule(engine.now() + Duration::ps(static_cast<std::int64_t>(state >> 44)), *this);
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

void report_median(const Settings& settings, const Report& report, std::string name,
                   std::string note, double (*measure)(unsigned), unsigned argument) {
    std::vector<double> values;
    for (unsigned i = 0; i < settings.rounds; ++i)
        values.push_back(measure(argument));
    report({.name = std::move(name),
            .unit = "million/s",
            .ours = median(values),
            .note = std::move(note)});
}

}  // namespace

void engine(const Settings& settings, const Report& report) {
    report_median(settings, report, "engine/events", "64 pending", events, 64);
    report_median(settings, report, "engine/events-many", "64 Ki pending", events, 64 << 10);
    report_median(settings, report, "engine/switches", "2 fibers", switches, 2);
    report_median(settings, report, "engine/switches-many", "1000 fibers", switches, 1000);
}

}  // namespace railyard::bench
