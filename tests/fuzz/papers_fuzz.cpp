/// Any text to the readers of the papers' records and of their exceptions: it is refused with an
/// Error that says where, or taken, and then every record has a check or a reason to have none.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "railyard/base/error.hpp"
#include "reproduce/check.hpp"
#include "reproduce/record.hpp"

namespace {

using namespace railyard;

void check_records(std::string_view text) {
    try {
        const auto records = reproduce::read_records(text, "fuzz");
        for (const reproduce::Record& record : records)
            static_cast<void>(reproduce::check_of(record, records));
    } catch (const Error&) {
        // Refused: what else there is to say, the message says.
    }
}

void check_exceptions(std::string_view text) {
    try {
        static_cast<void>(reproduce::read_exceptions(text, "fuzz", reproduce::papers()));
    } catch (const Error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_records(text);
    check_exceptions(text);
    return 0;
}
