/// Any text to the reader of result files: it is refused with an Error that says where, or taken,
/// and what was taken is written as text that reads back as the same results.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"
#include "railyard/results/row.hpp"

namespace {

using namespace railyard;

[[noreturn]] void broken(const char* what, const std::string& written) {
    std::fprintf(stderr, "%s does not read back: %s\n", what, written.c_str());
    std::abort();
}

void check_file(std::string_view text) {
    results::Results read;
    try {
        read = results::from_json(text, "fuzz");
    } catch (const Error&) {
        return;
    }
    const std::string written = results::to_json(read);
    if (!(results::from_json(written, "fuzz") == read)) broken("file", written);
}

void check_row(std::string_view text) {
    results::Row read;
    try {
        read = results::from_json_line(text);
    } catch (const Error&) {
        return;
    }
    const std::string written = results::to_json_line(read);
    if (!(results::from_json_line(written) == read)) broken("row", written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_file(text);
    check_row(text);
    return 0;
}
