#include "railyard/results/row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "railyard/base/error.hpp"
#include "results/samples.hpp"

namespace railyard::results {

namespace {

std::string complaint_about_line(std::string_view line) {
    try {
        from_json_line(line, "rank 0");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Row, IsOneLine) {
    Row row = sample_row();
    row.parameters["note"] = "two\nlines";
    EXPECT_EQ(to_json_line(row).find('\n'), std::string::npos);
    EXPECT_EQ(from_json_line(to_json_line(row)), row);
}

TEST(Row, HasItsFieldsInTheOrderOfTheFormat) {
    Row row = sample_row();
    row.parameters.erase("share");
    row.statistics = single(0.25, 7);
    EXPECT_EQ(to_json_line(row),
              R"({"experiment":"latency-uni","fabric":"shm",)"
              R"("parameters":{"message_bytes":8,"op":"rdma_write"},)"
              R"("metric":"latency","value":0.103,"unit":"us",)"
              R"("statistics":{"median":0.25,"p1":0.25,"p50":0.25,"p99":0.25,"mean":0.25,)"
              R"("min":0.25,"max":0.25,"spread":0.0,"iterations":7}})");
}

TEST(Row, KeepsEveryBitOfANumber) {
    Row row = sample_row();
    for (const double value : {1.0 / 3, 1e-300, 123456789.123456789, 5e15, 0.1 + 0.2}) {
        row.value = value;
        EXPECT_EQ(from_json_line(to_json_line(row)).value, value);
    }
}

TEST(Row, KeepsTheTypesOfParameters) {
    Row row = sample_row();
    row.parameters = {{"a", std::int64_t{-1}}, {"b", 1.0}, {"c", "1"}};
    const Row back = from_json_line(to_json_line(row));
    EXPECT_EQ(back.parameters, row.parameters);
    EXPECT_TRUE(std::holds_alternative<double>(back.parameters.at("b")));
}

TEST(Row, WithoutParametersHasAnEmptyObject) {
    Row row = sample_row();
    row.parameters.clear();
    EXPECT_NE(to_json_line(row).find(R"("parameters":{})"), std::string::npos);
    EXPECT_EQ(from_json_line(to_json_line(row)), row);
}

TEST(Row, SaysOnlyWhereARateIsNotSteady) {
    Row row = sample_row();
    EXPECT_EQ(to_json_line(row).find("steady"), std::string::npos);
    row.steady = false;
    EXPECT_NE(to_json_line(row).find(R"("steady":false)"), std::string::npos);
    EXPECT_EQ(from_json_line(to_json_line(row)), row);
}

TEST(Row, RefusesWhatJsonCannotSay) {
    Row row = sample_row();
    row.value = std::nan("");
    EXPECT_THROW(to_json_line(row), Error);
}

TEST(Row, SaysWhatIsWrongWithALine) {
    const std::string line = to_json_line(sample_row());
    EXPECT_EQ(complaint_about_line(line), "");
    EXPECT_EQ(complaint_about_line("[]"), "rank 0: expected an object, found array");
    EXPECT_EQ(complaint_about_line("{}"), "rank 0: experiment: missing");
    EXPECT_TRUE(complaint_about_line(line.substr(0, 20)).starts_with("rank 0: not JSON: "));

    std::string wrong = line;
    wrong.replace(wrong.find("0.103"), 5, "\"fast\"");
    EXPECT_EQ(complaint_about_line(wrong), "rank 0: value: expected a number, found string");
    wrong = line;
    wrong.replace(wrong.find(R"("rdma_write")"), 12, "[1]");
    EXPECT_EQ(complaint_about_line(wrong),
              "rank 0: parameters.op: expected a number or a string, found array");
    wrong = line;
    wrong.replace(wrong.find(R"("p99")"), 5, R"("p98")");
    EXPECT_EQ(complaint_about_line(wrong), "rank 0: statistics.p99: missing");
}

TEST(Value, ReadsAsPeopleWriteIt) {
    EXPECT_EQ(to_string(Value(std::int64_t{-8})), "-8");
    EXPECT_EQ(to_string(Value(0.5)), "0.5");
    EXPECT_EQ(to_string(Value("send_recv")), "send_recv");
}

std::string line_with_samples(const std::string& samples) {
    return R"({"experiment":"mpi-latency","fabric":"mpich","parameters":{"message_bytes":8},)"
           R"("metric":"latency","unit":"us","samples":)" +
           samples + "}";
}

TEST(Row, MayHaveSamplesThatAreSummarisedOnReading) {
    const Row row = from_json_line(line_with_samples("[3, 1, 2.5]"));
    EXPECT_EQ(row.value, 2.5);
    EXPECT_EQ(row.statistics, summarize({3, 1, 2.5}));
    EXPECT_EQ(row.unit, "us");
    EXPECT_EQ(from_json_line(to_json_line(row)), row);
}

TEST(Row, OfSamplesThatAreNoneIsRefused) {
    EXPECT_EQ(complaint_about_line(line_with_samples("[]")),
              "rank 0: samples: expected at least one number");
    EXPECT_EQ(complaint_about_line(line_with_samples("[1, null]")),
              "rank 0: samples[1]: expected a number, found null");
    EXPECT_EQ(complaint_about_line(line_with_samples("7")),
              "rank 0: samples: expected an array, found number");
    EXPECT_EQ(complaint_about_line(line_with_samples("[-1e308, -1e308, 1e-9, 1e308, 1e308]")),
              "rank 0: samples: they lie too far apart to be compared");
}

TEST(Statistics, OfOneSampleIsThatSample) {
    const Statistics s = summarize({2.5});
    EXPECT_EQ(s, single(2.5));
    EXPECT_EQ(s.p1, 2.5);
    EXPECT_EQ(s.p99, 2.5);
    EXPECT_EQ(s.spread, 0);
    EXPECT_EQ(s.iterations, 1u);
}

TEST(Statistics, InterpolateBetweenNeighbours) {
    const Statistics s = summarize({4, 1, 3, 2});
    EXPECT_DOUBLE_EQ(s.p50, 2.5);
    EXPECT_DOUBLE_EQ(s.mean, 2.5);
    EXPECT_DOUBLE_EQ(s.min, 1);
    EXPECT_DOUBLE_EQ(s.max, 4);
    EXPECT_DOUBLE_EQ(s.p1, 1.03);
    EXPECT_DOUBLE_EQ(s.p99, 3.97);
    EXPECT_DOUBLE_EQ(s.spread, (3.25 - 1.75) / 2.5);
    EXPECT_EQ(s.iterations, 4u);
}

TEST(Statistics, OfZeroToHundredAreThePercentiles) {
    std::vector<double> samples(101);
    std::iota(samples.begin(), samples.end(), 0.0);
    std::shuffle(samples.begin(), samples.end(), std::mt19937(1));
    const Statistics s = summarize(samples);
    EXPECT_DOUBLE_EQ(s.p1, 1);
    EXPECT_DOUBLE_EQ(s.p50, 50);
    EXPECT_DOUBLE_EQ(s.p99, 99);
    EXPECT_DOUBLE_EQ(s.mean, 50);
    EXPECT_DOUBLE_EQ(s.spread, 1);
}

TEST(Statistics, MedianIsNotMovedByOutliers) {
    const Statistics s = summarize({1, 1, 1, 1, 1000});
    EXPECT_EQ(s.p50, 1);
    EXPECT_EQ(s.max, 1000);
    EXPECT_EQ(s.spread, 0);
}

TEST(Statistics, EqualSamplesGiveExactlyThemselves) {
    // 0.1 has no exact binary form: sums and interpolations of it round.
    const Statistics s = summarize(std::vector<double>(1000, 0.1));
    EXPECT_EQ(s.p1, 0.1);
    EXPECT_EQ(s.p50, 0.1);
    EXPECT_EQ(s.p99, 0.1);
    EXPECT_EQ(s.mean, 0.1);
    EXPECT_EQ(s.spread, 0);
}

TEST(Statistics, DoNotDependOnTheOrderOfSamples) {
    std::vector<double> samples;
    for (int i = 1; i <= 1000; ++i)
        samples.push_back(1.0 / i);
    const Statistics there = summarize(samples);
    std::reverse(samples.begin(), samples.end());
    EXPECT_EQ(summarize(samples), there);
}

TEST(Statistics, SpreadIsZeroWhenTheMedianIs) {
    EXPECT_EQ(summarize({-1, 0, 1}).spread, 0);
    EXPECT_GT(summarize({-3, -2, -1}).spread, 0);
}

TEST(Statistics, RefuseWhatIsNoSample) {
    EXPECT_THROW(summarize({}), Error);
    EXPECT_THROW(summarize({1, std::nan("")}), Error);
    EXPECT_THROW(summarize({std::numeric_limits<double>::infinity()}), Error);
    EXPECT_THROW(single(std::nan("")), Error);
}

}  // namespace

}  // namespace railyard::results
