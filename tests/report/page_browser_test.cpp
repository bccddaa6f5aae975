// The page as a browser shows it, after its script has run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <regex>

#include "report/browser.hpp"
#include "report/mpi_rows.hpp"
#include "report/page.hpp"
#include "report/page_input.hpp"

namespace railyard::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// What the script made, without the script and the data.
std::string shown(const Opened& opened) {
    const auto begin = opened.document.find("<main>");
    const auto end = opened.document.find("</main>");
    return begin < end ? opened.document.substr(begin, end - begin) : "";
}

std::ptrdiff_t count(const std::string& text, const char* pattern) {
    const std::regex regex(pattern);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {});
}

void expect_no_error(const Opened& opened) {
    EXPECT_THAT(opened.document, HasSubstr("data-state=\"drawn\""));
    EXPECT_THAT(opened.document, Not(HasSubstr("data-error")));
    EXPECT_THAT(opened.log, Not(HasSubstr("CONSOLE"))) << opened.log;
}

TEST(PageInBrowser, ShowsPlotsMarksAndVerdicts) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    const Opened opened = open_in_browser(page(page_data(some_input())));
    expect_no_error(opened);
    const std::string page = shown(opened);

    EXPECT_EQ(count(page, "<figure"), 3);
    EXPECT_EQ(count(page, "<svg[^>]* role=\"group\""), 3) << "one plot a figure";
    // Two curves of latency, one of bandwidth, and one point without a curve.
    EXPECT_EQ(count(page, "<g[^>]* class=\"series\"[^>]*><(path|circle)"), 4);
    EXPECT_EQ(count(page, "<g[^>]* class=\"points\""), 3);
    EXPECT_EQ(count(page, "<button[^>]* aria-pressed=\"true\""), 4);
    // The papers' values, each with its record, to be reached by keyboard.
    EXPECT_EQ(count(page, "<g[^>]* class=\"published\""), 2);
    EXPECT_EQ(count(page, "tabindex=\"0\" role=\"img\""), 2);
    EXPECT_THAT(page, HasSubstr("liu04.small"));
    EXPECT_THAT(page, HasSubstr("shm: measured in real time."));
    EXPECT_THAT(page, HasSubstr("ideal: modelled, in virtual time."));

    EXPECT_EQ(count(page, "class=\"badge good\">holds<"), 1);
    EXPECT_EQ(count(page, "class=\"badge bad\">off<"), 1);
    EXPECT_EQ(count(page, "class=\"badge known\">excepted<"), 1);
    EXPECT_THAT(page, HasSubstr("4 records: 1 value right"));
    EXPECT_THAT(page, HasSubstr("Some CPU"));
}

const char* const mpi_papers = R"json([
    {"id": "wu02.ring.static", "seed": "wu02", "experiment": "vi-count", "kind": "measurement",
     "system": "via/mvich", "metric": "vis_per_process", "value": 15, "unit": "VIs",
     "params": {"application": "Ring", "processes": 16, "mode": "static"}},
    {"id": "wu02.cg", "seed": "wu02", "experiment": "vi-count", "kind": "measurement",
     "system": "via/mvich", "metric": "vis_per_process", "value": 5, "unit": "VIs",
     "params": {"application": "CG", "processes": 16, "mode": "on-demand"}},
    {"id": "rashti07.reuse", "seed": "rashti07", "experiment": "mpi-buffer-reuse", "kind": "ratio",
     "system": "infiniband-pcie/mpi", "metric": "latency_ratio_noreuse_to_reuse", "value": 4.3,
     "unit": "x", "params": {"message_bytes": 8192}}
])json";

TEST(PageInBrowser, HasAPlotForEveryMpiExperiment) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    PageInput input;
    input.sources.push_back({"mpi.json", {.machine = some_machine(), .rows = mpi_rows()}});
    input.papers = {"papers.json", mpi_papers};
    const Opened opened = open_in_browser(page(page_data(input)));
    expect_no_error(opened);
    const std::string page = shown(opened);

    for (const char* experiment :
         {"mpi-latency", "mpi-bandwidth-uni-multiport", "mpi-bandwidth-bi-multiport",
          "mpi-bandwidth-uni", "mpi-bandwidth-pingpong", "mpi-bandwidth-bothway", "mpi-logp",
          "mpi-buffer-reuse", "mpi-unexpected-queue", "mpi-receive-queue", "vi-count",
          "mvich-latency-bandwidth", "allreduce-latency", "mpi-init-time"})
        EXPECT_THAT(page, HasSubstr("data-experiment=\"" + std::string(experiment) + "\""));
    EXPECT_EQ(count(page, "<figure"), 17);
    EXPECT_EQ(count(page, "against processes</h3>"), 2);
    EXPECT_EQ(count(page, "by application</h3>"), 1);
    // Two programs, each with a bar for either mode; and the paper's value at the one it is about.
    EXPECT_EQ(count(page, "<g class=\"series\"[^>]*><rect"), 4);
    EXPECT_EQ(count(page, "<g[^>]* class=\"published\""), 2);
    EXPECT_THAT(page, HasSubstr("wu02.ring.static"));
    EXPECT_THAT(page, Not(HasSubstr("wu02.cg")));
    EXPECT_THAT(page, HasSubstr("published: 4.3"));
}

TEST(PageInBrowser, TakesHostileNamesAsText) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    PageInput input = some_input();
    for (PageInput::Source& source : input.sources)
        for (results::Row& row : source.results.rows)
            if (row.fabric == "shm") row.fabric = "</script><img src=x onerror=alert(1)>";
    const Opened opened = open_in_browser(page(page_data(input)));
    expect_no_error(opened);
    EXPECT_EQ(count(shown(opened), "<img"), 0);
    EXPECT_THAT(shown(opened), HasSubstr("&lt;/script&gt;&lt;img src=x"));
    EXPECT_EQ(count(shown(opened), "<figure"), 3);
}

TEST(PageInBrowser, AFailureIsSeen) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    const Opened opened = open_in_browser(page(R"({"rows": 7})"));
    EXPECT_THAT(opened.document, HasSubstr("data-error"));
    EXPECT_THAT(opened.document, Not(HasSubstr("data-state=\"drawn\"")));
    EXPECT_THAT(opened.log, HasSubstr("CONSOLE"));
}

}  // namespace
}  // namespace railyard::report
