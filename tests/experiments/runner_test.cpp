#include "experiments/core/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "railyard/base/error.hpp"

namespace railyard::experiments {
namespace {

using ::testing::HasSubstr;

results::Row row_of(const Context& context, int rank) {
    results::Row row;
    row.parameters["rank"] = std::int64_t{rank};
    row.parameters["virtual"] = std::int64_t{context.virtual_time()};
    row.parameters["window"] = std::int64_t{context.request().window};
    row.metric = "latency";
    row.unit = "us";
    return row;
}

Experiment good() {
    return {.name = "good",
            .run =
                [](Context& context) {
                    context.progress("at work");
                    context.emit(row_of(context, context.rank().id()));
                    context.emit({}, "bandwidth", "MB/s", results::summarize({1, 2, 4}));
                },
            .defaults = {.window = 9}};
}

Experiment bad() {
    return {.name = "bad", .run = [](Context& context) {
                context.emit(row_of(context, context.rank().id()));
                if (context.rank().id() == 1) throw Error("out of luck");
            }};
}

TEST(Runner, CollectsWhatRankZeroEmits) {
    const Experiment experiment = good();
    const Outcome outcome = run({.experiments = {&experiment}, .fabrics = {"ideal"}}, {});
    EXPECT_EQ(outcome.failure, "");
    ASSERT_EQ(outcome.rows.size(), 2u);
    const results::Row& first = outcome.rows[0];
    EXPECT_EQ(first.experiment, "good");
    EXPECT_EQ(first.fabric, "ideal");
    EXPECT_EQ(first.parameters.at("rank"), results::Value(std::int64_t{0}));
    EXPECT_EQ(first.parameters.at("virtual"), results::Value(std::int64_t{1}));
    EXPECT_EQ(first.parameters.at("window"), results::Value(std::int64_t{9}));
    EXPECT_EQ(outcome.rows[1].value, 2) << "the median";
    EXPECT_EQ(outcome.rows[1].statistics, results::summarize({1, 2, 4}));
}

// Models run in processes side by side: nobody can tell from the rows.
TEST(Runner, GivesTheSameRowsWithAnyNumberOfProcesses) {
    const Experiment first = good();
    Experiment second = good();
    second.name = "second";
    const Plan plan{.experiments = {&first, &second},
                    .fabrics = {"ideal", "infiniband-pcie", "quadrics"}};
    const Outcome alone = run(plan, {}, 1);
    EXPECT_EQ(alone.failure, "");
    EXPECT_EQ(alone.rows.size(), 12u);
    for (const unsigned jobs : {2u, 5u, 0u})
        EXPECT_EQ(run(plan, {}, jobs).rows, alone.rows) << jobs;
}

TEST(Runner, AFailureInAnotherProcessIsThatOfItsPlanAlone) {
    const Experiment fine = good();
    const Experiment broken = bad();
    const Plan plans[] = {{.experiments = {&fine}, .fabrics = {"ideal"}},
                          {.experiments = {&fine, &broken, &fine}, .fabrics = {"ideal"}},
                          {.experiments = {&fine}, .fabrics = {"quadrics"}}};
    const std::vector<Outcome> outcomes = run(plans, {}, 3);
    ASSERT_EQ(outcomes.size(), 3u);
    EXPECT_EQ(outcomes[0].failure, "");
    EXPECT_EQ(outcomes[0].rows.size(), 2u);
    EXPECT_THAT(outcomes[1].failure, HasSubstr("bad on ideal: "));
    EXPECT_THAT(outcomes[1].failure, HasSubstr("out of luck"));
    EXPECT_EQ(outcomes[1].exit_code, 1);
    EXPECT_EQ(outcomes[1].rows.size(), 2u) << "of what ended well before it";
    EXPECT_EQ(outcomes[2].failure, "");
}

TEST(Runner, RunsRawExperimentsOnceOnTheHost) {
    Experiment raw = good();
    raw.raw = true;
    const Outcome outcome = run({.experiments = {&raw}, .fabrics = {"ideal", "shm"}}, {});
    ASSERT_EQ(outcome.failure, "");
    ASSERT_EQ(outcome.rows.size(), 2u);
    EXPECT_EQ(outcome.rows[0].fabric, "host");
    EXPECT_EQ(outcome.rows[0].parameters.at("virtual"), results::Value(std::int64_t{0}));
    EXPECT_THROW(run({.experiments = {&raw}, .fabrics = {"ideal"}}, {}), UsageError);
}

TEST(Runner, EndsAtTheFirstFailureAndKeepsWhatWasDone) {
    const Experiment before = good();
    const Experiment failing = bad();
    const Experiment after = good();
    for (const char* fabric : {"ideal", "shm"}) {
        const Outcome outcome =
            run({.experiments = {&before, &failing, &after}, .fabrics = {fabric}}, {});
        EXPECT_EQ(outcome.rows.size(), 2u) << fabric;
        EXPECT_THAT(outcome.failure, HasSubstr(std::string("bad on ") + fabric + ": "));
        EXPECT_THAT(outcome.failure, HasSubstr("out of luck"));
        EXPECT_THAT(outcome.failure, HasSubstr("rank 1"));
    }
}

TEST(Runner, PutsRanksOnNodesInVirtualTime) {
    Experiment experiment{.name = "where", .run = [](Context& context) {
                              results::Row row;
                              for (int rank = 0; rank < context.rank().size(); ++rank)
                                  row.metric += std::to_string(context.rank().node_of(rank));
                              context.emit(row);
                          }};
    experiment.least_ranks = 2;
    experiment.most_ranks = 6;
    experiment.virtual_ranks = 6;
    const auto nodes = [&](const char* fabric) {
        return run({.experiments = {&experiment}, .fabrics = {fabric}}, {}).rows.at(0).metric;
    };
    EXPECT_EQ(nodes("ideal"), "012345");
    EXPECT_EQ(nodes("shm"), "00") << "as few as it needs, and all on this machine";
    experiment.ranks_per_node = 2;
    EXPECT_EQ(nodes("ideal"), "001122");
    experiment.virtual_ranks = 0;
    EXPECT_EQ(nodes("ideal"), "00");
}

std::vector<Variant> two_variants(const fabric::Traits&, std::optional<int>) {
    return {{.parameters = {{"mode", "plain"}}},
            {.parameters = {{"mode", "rich"}, {"rank", std::int64_t{7}}},
             .settings = {{"ports", "1"}},
             .ranks = 4}};
}

/// One row, which tells the ranks and the settings of the job.
Experiment talkative() {
    return {.name = "talkative",
            .run =
                [](Context& context) {
                    results::Row row = row_of(context, context.rank().id());
                    row.metric = "ranks " + std::to_string(context.rank().size());
                    for (const auto& [name, value] : context.rank().settings("mpi"))
                        row.metric += " " + name + "=" + value;
                    context.emit(row);
                },
            .most_ranks = 4,
            .variants = two_variants};
}

TEST(Runner, RunsEveryVariantAsAJobOfItsOwn) {
    const Experiment experiment = talkative();
    for (const char* fabric : {"ideal", "shm"}) {
        const Outcome outcome = run({.experiments = {&experiment}, .fabrics = {fabric}}, {});
        ASSERT_EQ(outcome.failure, "");
        ASSERT_EQ(outcome.rows.size(), 2u);
        EXPECT_EQ(outcome.rows[0].metric, "ranks 2");
        EXPECT_EQ(outcome.rows[0].parameters.at("mode"), results::Value("plain"));
        EXPECT_EQ(outcome.rows[0].parameters.at("rank"), results::Value(std::int64_t{0}));
        EXPECT_EQ(outcome.rows[1].metric, "ranks 4") << "settings are for MPI experiments";
        EXPECT_EQ(outcome.rows[1].parameters.at("mode"), results::Value("rich"));
        EXPECT_EQ(outcome.rows[1].parameters.at("rank"), results::Value(std::int64_t{7}))
            << "the variant's parameters are on every row";
        EXPECT_FALSE(outcome.rows[1].parameters.contains("mpi"));
    }
}

TEST(Runner, TellsTheLibraryOfMpiExperiments) {
    Experiment experiment = talkative();
    experiment.mpi = true;
    Plan plan{.experiments = {&experiment}, .fabrics = {"clan-via"}};
    const auto rows = run(plan, {}).rows;
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].metric, "ranks 2 library=native");
    EXPECT_EQ(rows[0].parameters.at("mpi"), results::Value("native"));
    EXPECT_EQ(rows[1].metric, "ranks 4 ports=1 library=native");
    plan.wishes.mpi = Library::paper;
    plan.only = {{"mode", "rich"}};
    const auto papers = run(plan, {}).rows;
    ASSERT_EQ(papers.size(), 1u);
    EXPECT_EQ(papers[0].metric, "ranks 4 ports=1 library=paper");
    EXPECT_EQ(papers[0].parameters.at("mpi"), results::Value("paper"));
}

TEST(Runner, AVariantThatFailsIsNamed) {
    Experiment experiment = talkative();
    experiment.run = [](Context& context) {
        if (context.rank().size() == 4) throw Error("out of luck");
        context.emit(row_of(context, context.rank().id()));
    };
    const Outcome outcome = run({.experiments = {&experiment}, .fabrics = {"ideal"}}, {});
    EXPECT_EQ(outcome.rows.size(), 1u);
    EXPECT_THAT(outcome.failure, HasSubstr("talkative on ideal (mode=rich, rank=7): "));
}

TEST(Runner, TellsWhatIsGoingOn) {
    const Experiment experiment = good();
    std::vector<std::string> heard;
    run({.experiments = {&experiment}, .fabrics = {"ideal"}},
        [&](std::string_view what) { heard.emplace_back(what); });
    EXPECT_EQ(heard, (std::vector<std::string>{"1 of 1: good on ideal: starting",
                                               "1 of 1: good on ideal: at work"}));
}

}  // namespace
}  // namespace railyard::experiments
