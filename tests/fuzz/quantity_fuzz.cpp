/// Any text to the parsers of base/quantity.hpp: it is refused with a UsageError, or taken, and
/// what was taken is printed as text that parses back to the same value.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "railyard/base/error.hpp"

namespace {

using namespace railyard;

[[noreturn]] void broken(const char* what, std::string_view text, const std::string& printed) {
    std::fprintf(stderr, "%s: '%.*s' was printed as '%s', which is something else\n", what,
                 static_cast<int>(text.size()), text.data(), printed.c_str());
    std::abort();
}

template <class Value, class Parse, class Print>
void check(const char* what, std::string_view text, Parse parse, Print print) {
    Value value;
    try {
        value = parse(text);
    } catch (const UsageError&) {
        return;
    }
    const std::string printed = print(value);
    try {
        if (parse(printed) == value) return;
    } catch (const UsageError&) {
    }
    broken(what, text, printed);
}

void check_sizes(std::string_view text) {
    std::vector<Bytes> sizes;
    try {
        sizes = parse_sizes(text);
    } catch (const UsageError&) {
        return;
    }
    std::string printed;
    for (const Bytes size : sizes)
        printed += (printed.empty() ? "" : ",") + short_size(size);
    if (sizes.empty() || parse_sizes(printed) != sizes) broken("sizes", text, printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check<Duration>("duration", text, parse_duration, [](Duration d) { return to_string(d); });
    check<Bytes>("size", text, parse_bytes, [](Bytes b) { return to_string(b); });
    check<Bytes>("short size", text, parse_bytes, short_size);
    check<Rate>("rate", text, parse_rate, [](Rate r) { return to_string(r); });
    check_sizes(text);
    return 0;
}
