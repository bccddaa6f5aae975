/// A rate in virtual time is measured by ever longer runs until two agree.

#include <gtest/gtest.h>

#include "experiments/core/sampling.hpp"
#include "experiments/measure.hpp"

namespace railyard::experiments {
namespace {

TEST(Steady, RunsAgreeWithinHalfAPercent) {
    EXPECT_TRUE(agree({100}, {100.4}));
    EXPECT_TRUE(agree({100.4}, {100}));
    EXPECT_FALSE(agree({100}, {101}));
    EXPECT_TRUE(agree({1, 100, 300}, {100, 100.1})) << "the median of the shorter";
    EXPECT_FALSE(agree({100}, {98, 102})) << "every sample of the longer";
    EXPECT_FALSE(agree({}, {100})) << "who knows nothing agrees to nothing";
}

/// An experiment whose rate comes near 100 from above by so much in its first run, and by a part of
/// that in each further one.
template <int percent_left>
Experiment drifting() {
    return {.name = "drifting", .run = [](Context& context) {
                std::vector<unsigned> lengths;
                double off = 64;
                const Rates rates = steady_rates(
                    context, "drifting", with_wishes(context, 3, 10, 2),
                    [&](const Sampling& sampling, const std::string&) -> std::vector<double> {
                        lengths.push_back(sampling.batch);
                        off = off * percent_left / 100;
                        // Only rank 0 knows, and all do the same.
                        if (context.rank().id() != 0) return {};
                        return {100 + off};
                    });
                EXPECT_EQ(rates.sampling.batch, lengths.back());
                for (std::size_t i = 1; i < lengths.size(); ++i)
                    EXPECT_EQ(lengths[i], 2 * lengths[i - 1]);
                if (rates.samples.empty()) return;
                context.emit({{"runs", static_cast<std::int64_t>(lengths.size())},
                              {"warmup", static_cast<std::int64_t>(rates.sampling.warmup)}},
                             "bandwidth", "MB/s", results::summarize(rates.samples), rates.steady);
            }};
}

results::Row row_of(const Experiment& experiment, const Wishes& wishes = {}) {
    const Outcome outcome =
        run({.experiments = {&experiment}, .fabrics = {"ideal"}, .wishes = wishes}, {});
    EXPECT_EQ(outcome.failure, "");
    return outcome.rows.at(0);
}

TEST(Steady, RunsGetLongerUntilTwoAgree) {
    const results::Row row = row_of(drifting<25>());  // 16, 4, 1, 0.25, …
    EXPECT_EQ(integer(row, "runs"), 5) << "100.25 and 100.0625 are the first to agree";
    EXPECT_EQ(integer(row, "warmup"), 3 * 16);
    EXPECT_TRUE(row.steady);
    EXPECT_DOUBLE_EQ(row.value, 100.0625);
}

TEST(Steady, OneThatNeverSettlesSaysSo) {
    const results::Row row = row_of(drifting<120>());
    EXPECT_EQ(integer(row, "runs"), most_runs);
    EXPECT_FALSE(row.steady);
}

TEST(Steady, WhatTheUserAsksForStaysExact) {
    const results::Row row = row_of(drifting<120>(), {.iterations = 7});
    EXPECT_EQ(integer(row, "runs"), 1);
    EXPECT_TRUE(row.steady) << "nobody asked";
    EXPECT_EQ(integer(row_of(drifting<25>(), {.warmup = 5}), "warmup"), 5);
}

// 256 connections share 64 messages under way, and the adapter knows eight of them: a few rounds of
// all connections are too few to see what they can do.
TEST(Steady, ManyConnectionsTakeLongToSettle) {
    const Wishes wishes{.sizes = {Bytes(16 << 10)}};
    Wishes long_run = wishes;
    long_run.iterations = 4'000;
    const auto last = [](const Wishes& w) {
        return measure("multiconn-throughput", "infiniband-memfree", w).back();
    };
    const results::Row settled = last(wishes);
    EXPECT_EQ(integer(settled, results::parameter::connections), 256);
    EXPECT_TRUE(settled.steady);
    EXPECT_NEAR(settled.value, last(long_run).value, 0.005 * settled.value);
}

// Every experiment on rates takes part.
TEST(Steady, NoRateDependsOnHowLongItIsMeasured) {
    struct Case {
        const char* experiment;
        const char* fabric;
        Bytes size;
        unsigned iterations;  ///< far more than needed
    };
    for (const Case& c : {Case{"bandwidth-uni-window", "quadrics-liu04", Bytes(64), 64},
                          Case{"bandwidth-uni-queue", "quadrics-liu04", Bytes(64), 20'000},
                          Case{"bandwidth-bi-queue", "myrinet2000-gm", Bytes(1024), 20'000},
                          Case{"quadrics-ping-bi", "quadrics", Bytes(256), 8'000},
                          Case{"mpi-bandwidth-uni", "infiniband-pcie", Bytes(1024), 256}}) {
        const Wishes wishes{.sizes = {c.size}};
        Wishes long_run = wishes;
        long_run.iterations = c.iterations;
        const auto found = measure(c.experiment, c.fabric, wishes);
        const auto wanted = measure(c.experiment, c.fabric, long_run);
        ASSERT_EQ(found.size(), wanted.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found[i].unit != results::unit::megabytes_per_second) continue;
            EXPECT_NEAR(found[i].value, wanted[i].value, 0.01 * wanted[i].value)
                << results::to_json_line(found[i]);
        }
    }
}

}  // namespace
}  // namespace railyard::experiments
