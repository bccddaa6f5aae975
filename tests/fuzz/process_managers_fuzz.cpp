/// Any bytes to the readers of what process managers and ranks under them say: nothing crashes, and
/// what was read and is written again is the same.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "launch/managers/card.hpp"
#include "launch/managers/pmi_wire.hpp"
#include "launch/managers/values.hpp"

namespace {

using namespace railyard::managers;

void require(bool right, const char* what) {
    if (right) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const PmiLine line(text);
    line.find("cmd");
    line.find("value");
    line.succeeded();

    if (const auto nodes = parse_process_mapping(text, 100))
        require(nodes->size() == 100 && nodes->front() == 0, "a mapping misses ranks");

    const std::vector<std::string> one{text};
    if (const auto bytes = from_words(one)) {
        const auto again = from_words(as_words(*bytes));
        require(again == bytes, "a value changes on its way");
    }
    const std::span raw(reinterpret_cast<const std::byte*>(data), size);
    require(from_words(as_words(raw)) == std::vector<std::byte>(raw.begin(), raw.end()),
            "bytes change on their way");
    if (const auto values = unpack(raw)) require(unpack(pack(*values)) == values, "values change");

    if (const auto card = Card::parse(text))
        require(Card::parse(card->text()) == card, "a card changes");
    return 0;
}
