// The page as a browser shows it, after its script has run, and after a reader has used it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "report/browser.hpp"
#include "report/mpi_rows.hpp"
#include "report/page.hpp"
#include "report/page_input.hpp"

namespace railyard::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

void expect_no_error(const Opened& opened) {
    // Without the document in what is said: it is long.
    EXPECT_TRUE(opened.document.find("data-state=\"drawn\"") != std::string::npos);
    const auto error = opened.document.find("data-error");
    EXPECT_EQ(error, std::string::npos)
        << opened.document.substr(std::min(error, opened.document.size()), 200);
    EXPECT_THAT(opened.log, Not(HasSubstr("CONSOLE")));
}

/// Opens it, and lets the script look around.
Json probe(const PageInput& input, std::string_view script, const std::string& place = "") {
    const Opened opened = open_in_browser(with_probe(page(page_data(input)), script), place);
    expect_no_error(opened);
    const std::string found = found_in(opened);
    if (found.empty()) throw std::runtime_error("the probe did not come to its end");
    return Json::parse(found);
}

/// Draws everything and unfolds it, as for a printer that wants all.
constexpr std::string_view unfold_all = R"js(
    dispatchEvent(new Event("beforeprint"));
    for (const one of all("details.experiment")) one.open = true;
    await pause();
    for (const one of all("details")) one.open = true;
    await pause();
)js";

constexpr std::string_view look_at_all = R"js(
    found.figures = all("#all figure").length;
    found.plots = all("figure .plot").filter((plot) => !plot.hidden).length;
    found.empty = all("figure .plot")
        .filter((plot) => !plot.hidden)
        .filter((plot) => all(".series > *, .points > *, rect.series", plot).length === 0)
        .map((plot) => plot.getAttribute("aria-label"));
    found.unread = all("figure .plot")
        .filter((plot) => !plot.hidden && !(Number(plot.dataset.stops) > 0))
        .map((plot) => plot.getAttribute("aria-label"));
    found.published = all(".published > *").length;
    found.badges = all("#trust .badge").map((one) => one.textContent);
    found.text = document.querySelector("main").textContent;
    found.images = all("main img").length;
)js";

TEST(PageInBrowser, DrawsEverythingThatCanBeUnfolded) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    const Json found = probe(some_input(), std::string(unfold_all) + std::string(look_at_all));
    EXPECT_EQ(found["figures"], 3);
    EXPECT_EQ(found["empty"], Json::array());
    EXPECT_EQ(found["unread"], Json::array()) << "every plot has something to read";
    EXPECT_EQ(found["published"], 2);
    const std::string text = found["text"];
    EXPECT_THAT(text, HasSubstr("shm: measured in real time."));
    EXPECT_THAT(text, HasSubstr("ideal: modelled, in virtual time."));
    EXPECT_THAT(text, HasSubstr("4 records: 1 value right"));
    EXPECT_THAT(text, HasSubstr("Some CPU"));
}

TEST(PageInBrowser, ShowsTheNumbersOfTheFiles) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    PageInput input = some_input();
    input.sources[0].results.rows[0].value = 0.1 + 0.2;  // 0.30000000000000004
    const Json found = probe(input, std::string(unfold_all) + R"js(
        found.matrix = all(".matrix td a").map((one) => one.dataset.exact);
        found.rows = all("#all .rows").flatMap((table) => {
            const at = all("th", table).findIndex((one) => ["µs", "MB/s"].includes(one.textContent));
            return all("tbody tr", table).map((row) => {
                const cells = all("td", row);
                return [cells[0].textContent, Number(cells[at].textContent)];
            });
        });
    )js");
    EXPECT_EQ(found["matrix"], Json({"0.30000000000000004", "9000", "2.05"}));
    std::multiset<std::pair<std::string, double>> shown, told;
    for (const Json& row : found["rows"])
        shown.emplace(row[0].get<std::string>(), row[1].get<double>());
    for (const PageInput::Source& source : input.sources)
        for (const results::Row& row : source.results.rows)
            told.emplace(row.fabric, row.value);
    EXPECT_EQ(shown, told);
}

TEST(PageInBrowser, FiltersAndKeepsTheChoiceInTheAddress) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    const Json found = probe(some_input(), std::string(unfold_all) + R"js(
        const series = () => all("#all .legend button").map((one) => one.textContent);
        found.before = series().some((name) => name.includes("shm"));
        document.querySelector(".filter input[value=shm]").click();
        document.querySelector(".filter input[value=host]").click();
        await pause();
        found.address = location.hash;
        found.matrix = all(".matrix tbody th").map((one) => one.textContent);
        found.shm = series().some((name) => name.includes("shm"));
        found.empty = all("#all figure .plot")
            .filter((plot) => !plot.hidden && all(".series > *", plot).length === 0).length;
        found.link = document.querySelector("figure .self").getAttribute("href");
        const search = document.querySelector("aside input[type=search]");
        search.value = "latency";
        search.dispatchEvent(new Event("input"));
        found.left = all("details.experiment").filter((one) => !one.hidden).map((one) => one.id);
        found.searched = location.hash;
    )js");
    EXPECT_EQ(found["before"], true);
    EXPECT_EQ(found["address"], "#?on=ideal");
    EXPECT_EQ(found["matrix"], Json({"ideal"}));
    EXPECT_EQ(found["shm"], false);
    EXPECT_EQ(found["empty"], 0);
    EXPECT_THAT(found["link"].get<std::string>(), HasSubstr("?on=ideal"));
    EXPECT_EQ(found["left"], Json({"experiment-latency-uni"}));
    EXPECT_EQ(found["searched"], "#?on=ideal&q=latency");
}

TEST(PageInBrowser, ALinkOpensItsChartUnderItsChoice) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    const Json found = probe(some_input(), R"js(
        await pause();
        found.open = all("details.experiment").filter((one) => one.open).map((one) => one.id);
        found.drawn = all("#all figure").map((one) => one.id);
        found.shown = all(".filter input").filter((one) => one.checked).map((one) => one.value);
    )js",
                             "#latency-uni.latency.us?on=ideal");
    EXPECT_EQ(found["open"], Json({"experiment-latency-uni"}));
    EXPECT_EQ(found["drawn"], Json({"latency-uni.latency.us"}));
    EXPECT_EQ(found["shown"], Json({"ideal"}));
}

TEST(PageInBrowser, TheCrosshairReadsAllSeriesAtAPlace) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    const Json found = probe(some_input(), std::string(unfold_all) + R"js(
        const plot = document.querySelector("#all figure[data-experiment=latency-uni] .plot");
        const press = (key) => plot.dispatchEvent(new KeyboardEvent("keydown", { key }));
        const note = () => all(".note:not([hidden]) strong, .note:not([hidden]) li", plot)
            .map((one) => one.textContent);
        press("End");
        found.last = note();
        press("ArrowLeft");
        found.before = note();
        found.lines = all(".crosshair", plot).length;
        press("Escape");
        found.after = note();
        const frame = plot.querySelector("svg").getBoundingClientRect();
        plot.dispatchEvent(new PointerEvent("pointermove",
            { clientX: frame.right - 20, clientY: frame.top + 50 }));
        found.pointed = note();
    )js");
    EXPECT_EQ(found["last"][0], "message size 64");
    EXPECT_THAT(found["last"].dump(), HasSubstr("shm0.2 "));
    EXPECT_THAT(found["last"].dump(), HasSubstr("ideal12 "));
    EXPECT_THAT(found["last"].dump(), HasSubstr("liu04.bound"));
    EXPECT_EQ(found["before"][0], "message size 8");
    EXPECT_EQ(found["lines"], 1);
    EXPECT_EQ(found["after"], Json::array());
    EXPECT_EQ(found["pointed"], found["last"]);
}

/// One of each part that a page of a run has.
RunPage some_run() {
    RunPage run{.program = "stencil <b>", .fabric = "ideal", .compute = "none"};
    run.ranks = 2;
    run.nodes = 2;
    run.seconds = 1;
    run.lanes = {{0, 1, "sccpw"}, {1, 1, "sccgn"}};
    run.pairs = {{0, 1, 3, 4096}};
    run.sizes = {{1024, 3, 4096}};
    run.times = {{.computing = 0.5, .mpi = 0.5}, {.computing = 0.4, .mpi = 0.6}};
    run.functions = {{"MPI_Send", 3, 0.5}};
    run.waits = {{"late sender", 1, 0, 2, 0.1}};
    run.parts = {{"link", "0 to 1", 0.25}};
    return run;
}

/// What every chart's buttons would save.
constexpr std::string_view take_all_along = R"js(
    const saved = [];
    Blob = class { constructor(parts) { saved.push(parts.join("")); } };
    URL.createObjectURL = () => "blob:none";
    HTMLAnchorElement.prototype.click = () => {};
    const figures = all("figure").filter((one) => one.querySelector(".plot") && !one.querySelector(".plot").hidden);
    const take = (figure, word) => {
        all(".tools button", figure).find((one) => one.textContent === word)?.click();
        return saved.pop() ?? "";
    };
    found.figures = figures.map((figure) => ({
        name: figure.querySelector("h3, h4").textContent,
        csv: take(figure, "CSV"),
        svg: take(figure, "SVG"),
    }));
)js";

void expect_all_can_be_taken_along(const Json& found) {
    for (const Json& figure : found["figures"]) {
        const std::string csv = figure["csv"];
        EXPECT_GE(std::ranges::count(csv, '\n'), 2) << figure["name"] << ": " << csv;
        const std::string svg = figure["svg"];
        EXPECT_THAT(svg, HasSubstr("<svg")) << figure["name"];
        EXPECT_THAT(svg, Not(HasSubstr("var("))) << figure["name"] << ": no page is around it";
    }
}

TEST(PageInBrowser, EveryChartCanBeTakenAlong) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    const Json found = probe(some_input(), std::string(unfold_all) + std::string(take_all_along));
    EXPECT_GE(found["figures"].size(), 5);
    expect_all_can_be_taken_along(found);
    PageInput run;
    run.runs.push_back(some_run());
    const Json of_run = probe(run, std::string(unfold_all) + std::string(take_all_along));
    EXPECT_GE(of_run["figures"].size(), 4);
    expect_all_can_be_taken_along(of_run);
}

TEST(PageInBrowser, ShowsARun) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    PageInput input;
    input.runs.push_back(some_run());
    const Json found = probe(input, std::string(unfold_all) + std::string(look_at_all));
    EXPECT_EQ(found["empty"], Json::array());
    EXPECT_EQ(found["unread"], Json::array());
    EXPECT_GE(found["plots"].get<int>(), 4);
    const std::string text = found["text"];
    for (const char* const words :
         {"stencil <b> on ideal", "2 ranks on 2 nodes", "MPI_Send", "late sender", "0 to 1", "1 s"})
        EXPECT_THAT(text, HasSubstr(words));
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
    const Json found = probe(input, std::string(unfold_all) + std::string(look_at_all) + R"js(
        found.experiments = [...new Set(all("#all figure").map((one) => one.dataset.experiment))];
        found.bars = all(".series > rect").length;
    )js");
    const std::string experiments = found["experiments"].dump();
    for (const char* experiment :
         {"mpi-latency", "mpi-bandwidth-uni-multiport", "mpi-bandwidth-bi-multiport",
          "mpi-bandwidth-uni", "mpi-bandwidth-pingpong", "mpi-bandwidth-bothway", "mpi-logp",
          "mpi-buffer-reuse", "mpi-unexpected-queue", "mpi-receive-queue", "vi-count",
          "mvich-latency-bandwidth", "allreduce-latency", "mpi-init-time"})
        EXPECT_THAT(experiments, HasSubstr("\"" + std::string(experiment) + "\""));
    EXPECT_EQ(found["figures"], 17);
    EXPECT_EQ(found["empty"], Json::array());
    // Two programs, each with a bar for either mode; and the paper's value at the one it is about.
    EXPECT_EQ(found["bars"], 4);
    EXPECT_EQ(found["published"], 2);
    EXPECT_THAT(found["text"].get<std::string>(), Not(HasSubstr("wu02.cg")));
}

TEST(PageInBrowser, TakesHostileNamesAsText) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    PageInput input = some_input();
    for (PageInput::Source& source : input.sources)
        for (results::Row& row : source.results.rows)
            if (row.fabric == "shm") row.fabric = "</script><img src=x onerror=alert(1)>";
    const Json found = probe(input, std::string(unfold_all) + std::string(look_at_all));
    EXPECT_EQ(found["images"], 0);
    EXPECT_EQ(found["figures"], 3);
    EXPECT_THAT(found["text"].get<std::string>(), HasSubstr("</script><img src=x"));
}

/// Three readers at once, each with a screen of another width.
TEST(PageInBrowser, FitsEveryScreen) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    PageInput input = some_input();
    input.runs.push_back(some_run());
    const std::string text = script_safe(Json(page(page_data(input))).dump());
    const std::string frames =
        R"(<!DOCTYPE html><html><body><script type="application/json" id="text">)" + text +
        R"(</script></body></html>)";
    const Opened opened = open_in_browser(with_probe(frames, R"js(
        for (const width of [1400, 1024, 390]) {
            const frame = document.createElement("iframe");
            frame.style.width = `${width}px`;
            frame.style.height = "900px";
            frame.style.border = "none";
            frame.srcdoc = JSON.parse(document.getElementById("text").textContent);
            document.body.append(frame);
            await new Promise((go) => frame.addEventListener("load", go));
            const inner = frame.contentDocument;
            const root = inner.documentElement;
            frame.contentWindow.dispatchEvent(new Event("beforeprint"));
            for (const one of all("details", inner)) one.open = true;
            await pause();
            found[width] = {
                state: root.dataset.state,
                wider: root.scrollWidth - root.clientWidth,
                cut: all("main *, aside *", inner)
                    .filter((one) => one.closest(".scroll, svg") === null)
                    .filter((one) => one.getBoundingClientRect().right > root.clientWidth + 1)
                    .map((one) => `${one.tagName}.${one.className}`),
            };
            frame.remove();
        }
    )js"));
    EXPECT_THAT(opened.log, Not(HasSubstr("CONSOLE"))) << opened.log;
    const Json found = Json::parse(found_in(opened));
    for (const char* const width : {"1400", "1024", "390"}) {
        EXPECT_EQ(found[width]["state"], "drawn") << width;
        EXPECT_LE(found[width]["wider"], 0) << width;
        EXPECT_EQ(found[width]["cut"], Json::array()) << width;
    }
}

TEST(PageInBrowser, AFailureIsSeen) {
    if (page_template().empty()) GTEST_SKIP() << "built without the page";
    const Opened opened = open_in_browser(page(R"({"rows": 7})"));
    EXPECT_NE(opened.document.find("data-error"), std::string::npos);
    EXPECT_EQ(opened.document.find("data-state=\"drawn\""), std::string::npos);
    EXPECT_THAT(opened.log, HasSubstr("CONSOLE"));
}

}  // namespace
}  // namespace railyard::report
