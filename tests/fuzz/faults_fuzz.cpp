/// Any text to the reader of fault scripts: it is refused with a UsageError of which every line
/// says where, or taken, and what was taken is printed as a script that reads back as the same.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "faults/script.hpp"
#include "railyard/base/error.hpp"

namespace {

using namespace railyard;

constexpr faults::Layout layout{.levels = 3, .ports = 2, .nodes = 40};

[[noreturn]] void broken(const char* what, const std::string& text) {
    std::fprintf(stderr, "%s: %s\n", what, text.c_str());
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    faults::Script script;
    try {
        script = faults::parse_script(text, "fuzz.toml", layout);
    } catch (const UsageError& error) {
        if (!std::string_view(error.what()).starts_with("fuzz.toml:"))
            broken("the message does not say where", error.what());
        return 0;
    }
    const std::string printed = faults::to_toml(script, layout);
    if (!(faults::parse_script(printed, "fuzz.toml", layout) == script))
        broken("it reads back as something else", printed);
    return 0;
}
