/// Any text as papers, verdicts and results of a page: it is refused with an Error, or the page's
/// data is JSON that cannot end the element that it stands in.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "railyard/base/error.hpp"
#include "report/page.hpp"

namespace {

using namespace railyard;

void check(const report::PageInput& input) {
    std::string data;
    try {
        data = report::page_data(input);
    } catch (const Error&) {
        return;
    }
    if (data.find('<') == std::string::npos && nlohmann::json::accept(data)) return;
    std::fprintf(stderr, "not safe in a script: %s\n", data.c_str());
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    report::PageInput papers;
    papers.papers = {"papers", text};
    // A row, so that there is an experiment whose papers are wanted.
    report::PageInput::Source& source = papers.sources.emplace_back();
    source.file = text;
    source.results.rows.emplace_back().experiment = "latency-uni";
    check(papers);
    report::PageInput verdicts;
    verdicts.verdicts = {"verdicts", text};
    check(verdicts);
    return 0;
}
