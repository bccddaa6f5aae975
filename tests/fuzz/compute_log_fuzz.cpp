/// Any text to the reader of recorded computation: it is refused with an Error that names the file,
/// or taken, and what was taken is written as text that reads back as the same.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "programs/runs/computation.hpp"
#include "railyard/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace railyard;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    runs::ComputeLog read;
    try {
        read = runs::parse_log(text, "fuzz");
    } catch (const Error& error) {
        if (std::string_view(error.what()).starts_with("fuzz")) return 0;
        std::fprintf(stderr, "does not name the file: %s\n", error.what());
        std::abort();
    }
    const std::string written = runs::to_text(read);
    if (runs::parse_log(written, "fuzz") == read) return 0;
    std::fprintf(stderr, "does not read back: %s\n", written.c_str());
    std::abort();
}
