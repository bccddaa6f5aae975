/// Any text to the readers of other benchmarks' output: it is refused with an Error that names the
/// file, or it is rows that can be written and read back.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "railyard/base/error.hpp"
#include "report/foreign.hpp"

namespace {

using namespace railyard;

template <class Read>
void check(Read read, std::string_view text) {
    std::vector<results::Row> rows;
    try {
        rows = read(text, report::Foreign{"fuzz", "label"});
    } catch (const Error& error) {
        if (std::string_view(error.what()).starts_with("fuzz: ")) return;
        std::fprintf(stderr, "names no file: %s\n", error.what());
        std::abort();
    }
    for (const results::Row& row : rows) {
        const std::string line = results::to_json_line(row);
        if (results::from_json_line(line) == row) continue;
        std::fprintf(stderr, "does not read back: %s\n", line.c_str());
        std::abort();
    }
    if (rows.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(report::kind_of(text));
    check(report::read_osu, text);
    check(report::read_imb, text);
    check(report::read_perftest, text);
    return 0;
}
