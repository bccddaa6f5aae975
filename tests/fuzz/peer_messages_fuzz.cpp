/// Any bytes to the readers of what the two sides of a job tell each other: each message is read
/// whole or not at all, and what was read is written as it was.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "launch/peers/messages.hpp"

namespace {

using namespace railyard::peers;

/// Written again, it is the same; but for numbers that have room for less than they were given.
template <class Message>
void check(std::string_view bytes) {
    const auto message = Message::parse(bytes);
    if (!message) return;
    const auto again = Message::parse(message->text());
    if (again && again->text() == message->text()) return;
    std::fprintf(stderr, "a message changes when it is read again\n");
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check<RankPut>(bytes);
    check<Failure>(bytes);
    parse_number(bytes);
    return 0;
}
