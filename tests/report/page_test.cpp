#include "report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "railyard/base/error.hpp"
#include "report/page_input.hpp"

namespace railyard::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

Json data_of(const PageInput& input) {
    return Json::parse(page_data(input));
}

std::size_t occurrences(const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++n;
    return n;
}

std::string complaint(const PageInput& input) {
    try {
        page_data(input);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

std::string complaint_about_papers(const std::string& text) {
    PageInput input = some_input();
    input.papers.text = text;
    return complaint(input);
}

std::string complaint_about_verdicts(const std::string& text) {
    PageInput input = some_input();
    input.verdicts.text = text;
    return complaint(input);
}

TEST(Page, MergesRowsAndLetsTheLaterCount) {
    const std::vector first{latency(8, 1, "rdma_write"), latency(64, 2, "rdma_write")};
    const std::vector then{latency(8, 3, "rdma_write"), latency(8, 4, "send_recv")};
    EXPECT_THAT(merged(first, then),
                ElementsAre(latency(8, 3, "rdma_write"), latency(64, 2, "rdma_write"),
                            latency(8, 4, "send_recv")));
}

TEST(Page, TellsTheTimeOfEachFabric) {
    const Json data = data_of(some_input());
    EXPECT_EQ(data["fabrics"]["shm"]["clock"], "real");
    EXPECT_EQ(data["fabrics"]["ideal"]["clock"], "virtual");
    EXPECT_EQ(data["experiments"]["latency-uni"]["summary"], "half of a ping-pong");
    EXPECT_EQ(data["rows"].size(), 7u);
    EXPECT_EQ(data["rows"][0]["parameters"]["message_bytes"], 8);
}

TEST(Page, CarriesADistributionOnlyWhereThereIsOne) {
    PageInput input = some_input();
    results::Row& row = input.sources[0].results.rows[0];
    row.statistics.p99 = 0.1234567890123;
    row.statistics.iterations = 7;
    const Json rows = data_of(input)["rows"];
    EXPECT_EQ(rows[0]["statistics"]["p99"], 0.123457);
    EXPECT_EQ(rows[0]["statistics"]["iterations"], 7);
    EXPECT_FALSE(rows[1].contains("statistics"));
}

TEST(Page, CarriesTheSmallestAndTheLargestNumbers) {
    using Limits = std::numeric_limits<double>;
    for (const double value : {Limits::denorm_min(), Limits::max(), -Limits::max(), 0.0}) {
        PageInput input = some_input();
        input.sources[0].results.rows[0].value = value;
        const double found = data_of(input)["rows"][0]["value"].get<double>();
        EXPECT_LE(std::abs(found - value), std::abs(value) * 1e-5);
    }
}

TEST(Page, TellsAMachineOnceForAllItsFiles) {
    PageInput input = some_input();
    input.sources[1].results.machine.date = "2026-11-16T03:43:28Z";
    Json data = data_of(input);
    ASSERT_EQ(data["sources"].size(), 1u);
    EXPECT_EQ(data["sources"][0]["files"], Json({"here.json", "there.json"}));

    input.sources[1].results.machine.cpu = "Another CPU";
    EXPECT_EQ(data_of(input)["sources"].size(), 2u);
}

TEST(Page, TakesThePapersValuesOfItsExperiments) {
    const Json papers = data_of(some_input())["papers"];
    ASSERT_EQ(papers.size(), 2u);
    EXPECT_EQ(papers[0]["id"], "liu04.small");
    EXPECT_EQ(papers[1]["id"], "liu04.bound");
}

TEST(Page, TakesFactorsAsRatiosOfTheMetricsThatThereAre) {
    PageInput input = some_input();
    input.sources[0].results.rows.push_back(
        row("mpi-receive-queue", "latency_ratio_full_to_empty", 8, 2, "1"));
    input.papers.text = R"json([
        {"id": "a", "seed": "p", "experiment": "mpi-receive-queue", "kind": "ratio",
         "system": "all", "metric": "latency_ratio_full_to_empty", "params": {}, "value": 2.5,
         "unit": "x", "qualifier": "<="},
        {"id": "b", "seed": "p", "experiment": "mpi-receive-queue", "kind": "ratio",
         "system": "all", "metric": "latency_gain", "params": {}, "value": 2, "unit": "x"},
        {"id": "c", "seed": "p", "experiment": "mpi-receive-queue", "kind": "ratio",
         "system": "all", "metric": "latency_ratio_full_to_empty", "params": {}, "value": 20,
         "unit": "percent"}])json";
    const Json papers = data_of(input)["papers"];
    ASSERT_EQ(papers.size(), 1u);
    EXPECT_EQ(papers[0]["id"], "a");
    EXPECT_EQ(papers[0]["unit"], "1");
}

TEST(Page, TakesTheVerdictsThatThereAre) {
    const Json verdicts = data_of(some_input())["verdicts"];
    ASSERT_EQ(verdicts["records"].size(), 3u);  // not the one that was not run
    EXPECT_EQ(verdicts["records"][0]["place"]["message_bytes"], 8);
    EXPECT_THAT(verdicts["summary"].get<std::string>(), StartsWith("4 records"));
}

TEST(Page, TakesWhatTheVerdictsHangOn) {
    EXPECT_FALSE(data_of(some_input())["verdicts"].contains("sensitivity"));
    PageInput input = some_input();
    input.verdicts.text = R"json({"records": [], "sensitivity": [
        {"profile": "quadrics", "key": "elan.check", "value": "150 ns", "evidence": "fitted",
         "fabrics": ["quadrics"],
         "less": {"value": "135 ns", "moved": true, "largest": 0.01, "record": "a", "flips": []},
         "more": {"value": "165 ns", "moved": true, "largest": 0.02, "record": "a",
                  "flips": [{"id": "a", "before": "right", "after": "off"}]}}]})json";
    const Json numbers = data_of(input)["verdicts"]["sensitivity"];
    ASSERT_EQ(numbers.size(), 1u);
    EXPECT_EQ(numbers[0]["key"], "elan.check");
    EXPECT_EQ(numbers[0]["more"]["flips"][0]["id"], "a");
    EXPECT_EQ(numbers[0]["less"]["largest"], 0.01);
    EXPECT_EQ(complaint_about_verdicts(R"({"records": [], "sensitivity": [{"profile": 1}]})"),
              "verdicts.json: sensitivity[0]: profile: expected a string");
}

TEST(Page, TakesClassAndMarginOfAVerdict) {
    PageInput input = some_input();
    input.verdicts.text = R"json({"records": [{"id": "a", "verdict": "holds", "class": "bound",
        "vacuous": true, "margin": 0.1, "published_margin": 0.2}]})json";
    const Json record = data_of(input)["verdicts"]["records"][0];
    EXPECT_EQ(record["class"], "bound");
    EXPECT_EQ(record["vacuous"], true);
    EXPECT_EQ(record["published_margin"], 0.2);
}

TEST(Page, TakesTheRowsBehindTheVerdictsAndPrefersTheFiles) {
    PageInput input = some_input();
    input.verdicts.text = R"({"records": [], "rows": [)" +
                          results::to_json_line(latency(8, 77, "rdma_write", "ideal")) + "," +
                          results::to_json_line(latency(8, 78, "rdma_write", "quadrics")) + "]}";
    const Json rows = data_of(input)["rows"];
    ASSERT_EQ(rows.size(), 8u);
    EXPECT_EQ(rows[0]["value"], 2.05);
    EXPECT_EQ(rows[1]["fabric"], "quadrics");
}

TEST(Page, NeedsNeitherPapersNorVerdicts) {
    PageInput input = some_input();
    input.papers = {};
    input.verdicts = {};
    const Json data = data_of(input);
    EXPECT_EQ(data["papers"], Json::array());
    EXPECT_EQ(data["verdicts"], nullptr);
}

TEST(Page, RefusesPapersThatAreNone) {
    EXPECT_THAT(complaint_about_papers("[{]"), StartsWith("papers.json: not JSON: "));
    EXPECT_EQ(complaint_about_papers("{}"), "papers.json: expected an array of records");
    EXPECT_EQ(complaint_about_papers("[1]"), "papers.json: [0]: expected an object");
    EXPECT_EQ(complaint_about_papers(R"([{"kind": "measurement", "value": 1,
                                          "experiment": "latency-uni"}])"),
              "papers.json: [0]: id is missing");
}

TEST(Page, RefusesVerdictsThatAreNone) {
    EXPECT_EQ(complaint_about_verdicts("[]"), "verdicts.json: the file: expected an object");
    EXPECT_EQ(complaint_about_verdicts("{}"), "verdicts.json: the file: records is missing");
    EXPECT_EQ(complaint_about_verdicts(R"({"records": {}})"),
              "verdicts.json: the file: records: expected an array");
    EXPECT_EQ(
        complaint_about_verdicts(R"({"records": [{"id": "a", "verdict": "off", "ours": "many"}]})"),
        "verdicts.json: records[0]: ours: expected a number, found string");
    EXPECT_EQ(complaint_about_verdicts(R"({"records": [], "rows": [{}]})"),
              "verdicts.json: rows[0]: experiment: missing");
}

TEST(Page, EscapesWhatCouldEndAScript) {
    EXPECT_EQ(script_safe(R"({"a<b": "</script>&<!--"})"),
              R"({"a\u003cb": "\u003c/script\u003e\u0026\u003c!--"})");
    EXPECT_EQ(Json::parse(script_safe(R"("</script>")")), "</script>");
}

TEST(Page, IsOneFileThatAsksNobody) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    const std::string text = page(page_data(some_input()));
    EXPECT_THAT(text, StartsWith("<!DOCTYPE html>"));
    EXPECT_THAT(text, HasSubstr("Content-Security-Policy"));
    EXPECT_THAT(text, HasSubstr("default-src 'none'"));
    EXPECT_THAT(text, Not(HasSubstr(std::string(page_data_mark))));
    for (const char* outside : {"src=\"http", "href=\"http", "<link", "@import", "url(http"})
        EXPECT_THAT(text, Not(HasSubstr(outside)));
    EXPECT_THAT(text, HasSubstr("Copyright"));  // the licences of what is embedded
}

TEST(Page, LetsNoNameOutOfTheData) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    PageInput input = some_input();
    const std::string harmless = page(page_data(input));
    input.sources[0].file = "</script><script>alert(1)</script>";
    input.sources[0].results.rows[0].fabric = "</script><img src=x>";
    const std::string text = page(page_data(input));
    EXPECT_EQ(occurrences(text, "</script"), occurrences(harmless, "</script"));
    EXPECT_THAT(text, Not(HasSubstr("<img src=x>")));
}

}  // namespace
}  // namespace railyard::report
