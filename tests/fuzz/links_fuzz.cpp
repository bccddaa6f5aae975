/// Any bytes to what a stranger may talk to: a door's handshake never believes them, and frames
/// that nobody sealed are never handed over, however they are cut. Genuine frames with the bytes
/// among them are handed over up to where they come, and no further.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "launch/links/handshake.hpp"
#include "launch/links/seal.hpp"

namespace {

using namespace railyard::links;

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

void try_handshake(std::string_view bytes, Side side) {
    static const Secret secret = Secret::make();
    Handshake handshake(secret, side);
    std::string_view rest = bytes;
    require(handshake.feed(rest) != Handshake::State::done, "a stranger was believed");
}

/// How many frames come out of one genuine frame, the bytes, and another genuine one.
std::size_t frames_around(std::string_view bytes, std::size_t step) {
    const Secret::Bytes key{1, 2, 3};
    Sealer sealer(key);
    std::string stream;
    sealer.seal(1, "genuine", stream);
    stream += bytes;
    sealer.seal(2, "behind", stream);
    Unsealer unsealer(key);
    std::size_t count = 0;
    for (std::string_view rest = stream; !rest.empty();
         rest.remove_prefix(std::min(step, rest.size())))
        unsealer.feed(rest.substr(0, step), [&](std::uint32_t, const std::string&) { ++count; });
    return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try_handshake(bytes, Side::door);
    try_handshake(bytes, Side::caller);
    const std::size_t expected = bytes.empty() ? 2 : 1;
    require(frames_around(bytes, 1 << 20) == expected, "a forged frame was handed over");
    require(frames_around(bytes, 1 + size % 7) == expected, "pieces make a difference");
    return 0;
}
