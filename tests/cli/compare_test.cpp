// `railyard compare`, from result files to tables, JSON and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "railyard/results/results.hpp"
#include "results/file.hpp"

namespace railyard::cli {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Two files of the same experiment; in the second everything takes `factor` times as long.
class CompareCommand : public ::testing::Test {
  protected:
    void make(double factor) {
        const Ended ended =
            railyard({"measure", "latency-uni", "bandwidth-uni-window", "--on", "ideal", "--sizes",
                      "8,64", "--ops", "rdma_write", "--json", before()});
        ASSERT_EQ(ended.exit_code, 0) << ended.err;
        results::Results results = results::read(before());
        for (results::Row& row : results.rows) {
            row.value = row.unit == "us" ? row.value * factor : row.value / factor;
            row.statistics = results::single(row.value);
        }
        results::write_file(now(), results::to_json(results));
    }
    std::string before() const { return scratch_.file("before.json"); }
    std::string now() const { return scratch_.file("now.json"); }

    const ScratchDirectory scratch_;
};

TEST_F(CompareCommand, ShowsFilesSideBySide) {
    make(2);
    const Ended ended = railyard({"compare", before(), now()});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    EXPECT_THAT(ended.out, StartsWith("file    measured"));
    EXPECT_THAT(ended.out, HasSubstr("latency-uni on ideal: latency (us)"));
    EXPECT_THAT(ended.out, HasSubstr("size  before"));
    EXPECT_THAT(ended.out, HasSubstr("2.000  worse\n"));
    EXPECT_THAT(ended.out, HasSubstr("0.500  worse\n"));
    EXPECT_THAT(ended.out, HasSubstr("4 comparisons: 0 better, 4 worse, 0 within the spread\n"));
}

TEST_F(CompareCommand, GuardsAThreshold) {
    make(1.1);
    EXPECT_EQ(railyard({"compare", before(), now()}).exit_code, 0);
    EXPECT_EQ(railyard({"compare", before(), now(), "--threshold", "12"}).exit_code, 0);
    EXPECT_EQ(railyard({"compare", now(), before(), "--threshold", "5"}).exit_code, 0);
    const Ended ended = railyard({"compare", before(), now(), "--threshold", "5%"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.err, "railyard: 4 results are worse by more than 5 %, and beyond the spread\n");
}

TEST_F(CompareCommand, ShowsOnlyWhatIsAskedFor) {
    make(2);
    const Ended some = railyard({"compare", before(), now(), "--only", "latency-uni"});
    EXPECT_THAT(some.out, Not(HasSubstr("bandwidth")));
    EXPECT_THAT(some.out, HasSubstr("2 comparisons"));
    const Ended metric = railyard({"compare", before(), now(), "--metric", "bandwidth"});
    EXPECT_THAT(metric.out, Not(HasSubstr("latency")));
    const Ended same = railyard({"compare", before(), before(), "--differences-only"});
    EXPECT_EQ(same.exit_code, 0);
    EXPECT_THAT(same.out, Not(HasSubstr("ratio")));
    EXPECT_THAT(same.out, HasSubstr("4 within the spread"));
}

TEST_F(CompareCommand, WritesJson) {
    make(2);
    const Ended piped = railyard({"compare", before(), now(), "--json", "-"});
    EXPECT_EQ(nlohmann::json::parse(piped.out)["comparisons"].size(), 4u);
    const std::string file = scratch_.file("out.json");
    const Ended ended = railyard({"compare", before(), now(), "--json", file});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.out, HasSubstr("4 comparisons"));
    EXPECT_EQ(results::read_file(file), piped.out);
}

TEST_F(CompareCommand, HasHelpWithExamples) {
    const Ended ended = railyard({"compare", "--help"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.out, HasSubstr("Examples:\n  railyard compare "));
}

TEST_F(CompareCommand, SaysWhatIsWrong) {
    make(1);
    const auto said = [](const Arguments& arguments) {
        const Ended ended = railyard(arguments);
        EXPECT_EQ(ended.exit_code, 2);
        EXPECT_EQ(ended.out, "");
        return ended.err;
    };
    EXPECT_THAT(said({"compare"}), StartsWith("railyard: compare what? Name two files or more"));
    EXPECT_THAT(said({"compare", before(), scratch_.file("no.json")}),
                StartsWith("railyard: cannot read '"));
    EXPECT_THAT(said({"compare", before()}),
                AllOf(StartsWith("railyard: nothing to compare: one file was named"),
                      EndsWith("; name two files, before and after\n")));
    const std::string summary = scratch_.file("summary.json");
    results::write_file(summary, railyard({"run", "--summary", "json", "hello"}).out);
    for (const Arguments& call :
         {Arguments{"compare", summary, summary}, Arguments{"report", summary, "-o", "page.html"}})
        EXPECT_THAT(said(call), HasSubstr("this is a summary; rows are what `railyard run --json "
                                          "FILE` writes"));
    EXPECT_EQ(said({"compare", before(), now(), "--only", "latency-bi"}),
              "railyard: --only: 'latency-bi' is in none of the files; they have "
              "bandwidth-uni-window, latency-uni\n");
    for (const char* wrong : {"many", "-1", "nan", "%", "5x"})
        EXPECT_EQ(said({"compare", before(), now(), std::string("--threshold=") + wrong}),
                  std::string("railyard: --threshold: expected a percentage such as 5 or 2.5, "
                              "found '") +
                      wrong + "'\n");
    results::write_file(scratch_.file("bad.json"), "{}");
    EXPECT_EQ(said({"compare", before(), scratch_.file("bad.json")}),
              "railyard: " + scratch_.file("bad.json") + ": schema: missing\n");
}

}  // namespace
}  // namespace railyard::cli
