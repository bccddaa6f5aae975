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

/// The rows of the page's sheets, as objects again.
Json rows_of(const Json& data) {
    Json rows = Json::array();
    for (const Json& sheet : data["sheets"])
        for (const Json& cells : sheet["rows"]) {
            const std::size_t count = sheet["names"].size();
            Json row{{"experiment", sheet["experiment"]},
                     {"fabric", data["fabric_names"][cells[0].get<std::size_t>()]},
                     {"metric", sheet["metric"]},
                     {"value", cells[count + 1]},
                     {"parameters", Json::object()}};
            for (std::size_t i = 0; i < count; ++i)
                if (!cells[i + 1].is_null())
                    row["parameters"][sheet["names"][i].get<std::string>()] = cells[i + 1];
            if (cells.size() > count + 2) row["samples"] = cells[count + 2];
            if (cells.size() > count + 3) row["steady"] = false;
            rows.push_back(row);
        }
    return rows;
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
    EXPECT_EQ(rows_of(data).size(), 7u);
    EXPECT_EQ(rows_of(data)[0]["parameters"]["message_bytes"], 8);
}

TEST(Page, CarriesADistributionOnlyWhereThereIsOne) {
    PageInput input = some_input();
    results::Row& row = input.sources[0].results.rows[0];
    row.statistics.p99 = 0.1234567890123;
    row.statistics.iterations = 7;
    const Json rows = rows_of(data_of(input));
    EXPECT_EQ(rows[0]["samples"][1], 0.123457);
    EXPECT_EQ(rows[0]["samples"][3], 7);
    EXPECT_FALSE(rows[1].contains("samples"));
}

TEST(Page, CarriesTheSmallestAndTheLargestNumbers) {
    using Limits = std::numeric_limits<double>;
    for (const double value : {Limits::denorm_min(), Limits::max(), -Limits::max(), 0.0}) {
        PageInput input = some_input();
        input.sources[0].results.rows[0].value = value;
        EXPECT_EQ(rows_of(data_of(input))[0]["value"].get<double>(), value);
    }
}

TEST(Page, CarriesValuesDigitByDigit) {
    PageInput input = some_input();
    input.sources[0].results.rows[0].value = 0.1 + 0.2;
    EXPECT_EQ(rows_of(data_of(input))[0]["value"].get<double>(), 0.1 + 0.2);
}

TEST(Page, TellsWhatDidNotSettle) {
    PageInput input = some_input();
    input.sources[0].results.rows[0].steady = false;
    const Json rows = rows_of(data_of(input));
    EXPECT_TRUE(rows[0].contains("steady"));
    EXPECT_FALSE(rows[1].contains("steady"));
}

TEST(Page, PutsResultsBesideTheMachinesLimits) {
    const Json limits = data_of(some_input())["limits"];
    ASSERT_EQ(limits.size(), 2u);  // of shm; what a model says is bounded by no machine
    EXPECT_EQ(limits[0]["fabric"], "shm");
    EXPECT_EQ(limits[0]["of"], "cache_line_handover");
    EXPECT_EQ(limits[0]["value"], 0.1);
    EXPECT_EQ(limits[0]["limit"], 0.1);
}

TEST(Page, PutsFilesSideBySideThatSayTheSame) {
    EXPECT_EQ(data_of(some_input())["comparison"], Json::array()) << "a model beside a machine";
    PageInput input = some_input();
    input.sources[1].results.rows = {latency(8, 0.2, "rdma_write")};
    const Json tables = data_of(input)["comparison"];
    ASSERT_EQ(tables.size(), 1u);
    EXPECT_EQ(tables[0]["columns"], Json({"here", "there"}));
    const Json cells = tables[0]["lines"][0]["cells"];
    EXPECT_EQ(cells[1]["ratio"], 2);
    EXPECT_EQ(cells[1]["change"], "worse");
    EXPECT_FALSE(cells[0].contains("ratio"));
}

TEST(Page, MarksNoDifferenceWithinTheSpread) {
    PageInput input = some_input();
    input.sources[0].results.rows = {latency(8, 0.2, "rdma_write")};
    input.sources[1].results.rows = {latency(8, 0.21, "rdma_write")};
    for (PageInput::Source& source : input.sources)
        source.results.rows[0].statistics.spread = 0.1;
    const Json tables = data_of(input)["comparison"];
    ASSERT_EQ(tables.size(), 1u);
    EXPECT_FALSE(tables[0]["lines"][0]["cells"][1].contains("change"));
}

TEST(Page, TellsMachinesApartThatSayTheSame) {
    PageInput input = some_input();
    input.sources[1].results.rows = {latency(8, 0.2, "rdma_write")};
    input.sources[1].results.machine.cpu = "Another CPU";
    const Json data = data_of(input);
    EXPECT_EQ(data["fabrics"]["shm (here)"]["clock"], "real");
    EXPECT_EQ(data["fabrics"]["shm (there)"]["clock"], "real");
    std::size_t found = 0;
    for (const Json& row : rows_of(data))
        if (row["fabric"] == "shm (there)") ++found;
    EXPECT_EQ(found, 1u);
}

TEST(Page, BoundsWhatItTellsOfALargeRun) {
    RunPage run{.program = "alltoall", .fabric = "ideal", .compute = "none"};
    run.ranks = 1000;
    run.seconds = 1;
    for (int rank = 0; rank < 1000; ++rank) {
        run.times.push_back({.computing = 1});
        run.pairs.push_back({rank, (rank + 1) % 1000, 1, 10});
        run.parts.push_back({"link", "link " + std::to_string(rank), rank * 1e-4});
    }
    PageInput input;
    input.runs.push_back(run);
    const Json found = data_of(input)["runs"][0];
    EXPECT_LE(found["times"].size(), 64u);
    EXPECT_EQ(found["ranks_a_cell"], 16);
    std::uint64_t bytes = 0;
    for (const Json& pair : found["pairs"])
        bytes += pair["bytes"].get<std::uint64_t>();
    EXPECT_EQ(bytes, 10'000u) << "nothing is lost when ranks share a cell";
    EXPECT_EQ(found["parts"].size(), 600u);
    EXPECT_EQ(found["parts_left_out"], 400u);
    EXPECT_EQ(found["parts"].back()["name"], "link 999");
    EXPECT_NEAR(found["times"][0]["mean"]["computing"].get<double>(), 1, 1e-12);
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
    const Json rows = rows_of(data_of(input));
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
