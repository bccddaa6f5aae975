/// Any bytes to the reader of recordings, compressed or not: they are refused with an Error that
/// names the file, or taken, and what was taken is written as text that reads back as the same.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "programs/runs/recording.hpp"
#include "railyard/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace railyard;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    runs::Recording read;
    try {
        read = runs::read_recording(bytes, "fuzz");
    } catch (const Error& error) {
        if (std::string_view(error.what()).starts_with("fuzz")) return 0;
        std::fprintf(stderr, "does not name the file: %s\n", error.what());
        std::abort();
    }
    const std::string written = runs::to_text(read);
    if (runs::parse_recording(written, "fuzz") == read) return 0;
    std::fprintf(stderr, "does not read back: %s\n", written.c_str());
    std::abort();
}
