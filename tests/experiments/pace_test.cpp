// Progress and time budgets: how far work has come, and what fits into the time that it may take.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "experiments/core/advance.hpp"
#include "experiments/core/plan.hpp"
#include "experiments/core/sampling.hpp"

namespace railyard::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Advance, CountsWhatAllHaveDone) {
    const Advance advance(4);
    EXPECT_EQ(advance.tell("latency", 0), "1 of 4: latency");
    EXPECT_EQ(advance.tell("latency", 1.5), "2 of 4: latency");
    advance.add(3);
    EXPECT_EQ(advance.tell("latency", 0.2), "4 of 4: latency");
    EXPECT_EQ(advance.tell("latency", 1), "4 of 4: latency") << "and never 5";
}

TEST(Advance, SaysHowLongTheRestTakes) {
    const Advance advance(4);
    advance.add(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    EXPECT_THAT(advance.tell("latency", 0), StartsWith("3 of 4, "));
    EXPECT_THAT(advance.tell("latency", 0), HasSubstr(" s left: latency"));
    EXPECT_EQ(about(Duration::s(90)), "90 s");
    EXPECT_EQ(about(Duration::s(91)), "2 min");
}

/// Each point takes as long as its iterations, of which one takes 0.1 ms.
Experiment slow() {
    return {.name = "slow",
            .run =
                [](Context& context) {
                    sweep(context, [&](fabric::Op op, Bytes size) {
                        const auto n = latency_sampling(context, size).total();
                        if (!context.virtual_time())
                            std::this_thread::sleep_for(n * std::chrono::microseconds(100));
                        context.emit(parameters_of(context, op, size), "latency", "us",
                                     results::single(static_cast<double>(n)));
                    });
                },
            .defaults = {.sizes = doubling(Bytes(1), Bytes(16)),
                         .ops = {fabric::Op::send, fabric::Op::rdma_write}}};
}

std::vector<results::Row> rows_within(const char* fabric, std::optional<Duration> budget,
                                      std::vector<std::string>* told = nullptr) {
    const Experiment experiment = slow();
    const Plan plan{.experiments = {&experiment}, .fabrics = {fabric}, .kind = job::Kind::threads};
    const auto hear = [&](std::string_view what) {
        if (told != nullptr) told->emplace_back(what);
    };
    const Plan plan_of_fibers{.experiments = {&experiment}, .fabrics = {fabric}};
    const bool is_real = std::string_view(fabric) == "shm";
    const Outcome outcome = run(std::span(is_real ? &plan : &plan_of_fibers, 1), hear,
                                Carrying{.jobs = 1, .time_budget = budget})
                                .front();
    EXPECT_EQ(outcome.failure, "");
    return outcome.rows;
}

TEST(TimeBudget, IsSharedByThePointsThatAreLeft) {
    std::vector<std::string> told;
    const auto rows = rows_within("shm", Duration::ms(2500), &told);
    ASSERT_EQ(rows.size(), 10U);
    EXPECT_EQ(rows[0].value, 11'000) << "nobody knew how long it takes";
    double later = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        EXPECT_GE(rows[i].value, 20);
        later += rows[i].value;
    }
    // 1.4 s are left; what else runs here can only make it less.
    EXPECT_LT(later, 20'000);
    EXPECT_THAT(told, ::testing::Contains(HasSubstr("10 of 10")));
}

TEST(TimeBudget, ChangesNothingInVirtualTime) {
    EXPECT_EQ(rows_within("ideal", Duration::s(60)), rows_within("ideal", std::nullopt));
}

TEST(TimeBudget, LetsNothingNewBeginWhenItIsOver) {
    const Experiment first = slow();
    Experiment second = slow();
    second.name = "second";
    const Plan plan{
        .experiments = {&first, &second}, .fabrics = {"shm"}, .kind = job::Kind::threads};
    const Outcome stopped =
        run(std::span(&plan, 1), {}, Carrying{.time_budget = Duration::ms(100)}).front();
    EXPECT_EQ(stopped.failure, "second on shm: the time budget of 100 ms is used up");
    EXPECT_TRUE(stopped.time_is_up);
    EXPECT_EQ(stopped.rows.size(), 10U);
    ASSERT_EQ(stopped.finished.size(), 1U);
    // Who goes on has the first one's rows as they were.
    const Outcome whole = run(std::span(&plan, 1), {},
                              Carrying{.time_budget = Duration::s(2), .finished = stopped.finished})
                              .front();
    EXPECT_EQ(whole.failure, "");
    ASSERT_EQ(whole.rows.size(), 20U);
    for (std::size_t i = 0; i < 10; ++i)
        EXPECT_EQ(whole.rows[i], stopped.rows[i]);
}

}  // namespace
}  // namespace railyard::experiments
