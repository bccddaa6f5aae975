/// Any bytes to the reader of what ranks deliver: however they are cut, the same frames come out.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/job/frames.hpp"

namespace {

using namespace railyard::job;
using Frames = std::vector<std::pair<FrameKind, std::string>>;

/// The frames in `bytes`, fed in pieces of `step` bytes; false if they were refused.
bool read(std::string_view bytes, std::size_t step, Frames& frames) {
    FrameReader reader;
    try {
        for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size())))
            reader.feed(bytes.substr(0, step), [&](FrameKind kind, std::string payload) {
                frames.emplace_back(kind, std::move(payload));
            });
    } catch (const std::exception&) {
        return false;
    }
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    Frames whole;
    Frames pieces;
    const bool taken_whole = read(bytes, size, whole);
    const bool taken_pieces = read(bytes, 1 + size % 7, pieces);
    if (taken_whole != taken_pieces || (taken_whole && whole != pieces)) {
        std::fprintf(stderr, "%zu frames at once, %zu in pieces\n", whole.size(), pieces.size());
        std::abort();
    }
    return 0;
}
