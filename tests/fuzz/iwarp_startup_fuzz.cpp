/// Any bytes to both roles of MPA's start-up: however they are cut, the same comes of them, and
/// what is agreed keeps to what both wished.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "interconnects/real/iwarp/handshake.hpp"

namespace {

using namespace railyard::iwarp::mpa;
using Bytes = std::span<const std::byte>;

template <class Role>
std::size_t feed(Role& role, Bytes bytes, std::size_t piece) {
    std::size_t used = 0;
    while (used < bytes.size()) {
        const std::size_t n = role.feed(bytes.subspan(used, std::min(piece, bytes.size() - used)));
        if (n == 0) break;
        used += n;
    }
    return used;
}

void ask(Bytes bytes, const Wishes& wishes) {
    Initiator whole(wishes, {});
    Initiator pieces(wishes, {});
    feed(whole, bytes, bytes.size());
    feed(pieces, bytes, 1);
    if (whole.state() != pieces.state() || whole.error() != pieces.error()) std::abort();
    if (whole.state() != Initiator::State::agreed) return;
    const Agreement& agreement = whole.agreement();
    if (!(agreement == pieces.agreement()) || agreement.ird != wishes.ird) std::abort();
    if (agreement.ord > wishes.ord && agreement.rtr != Rtr::read) std::abort();
}

void answer(Bytes bytes) {
    Answerer whole;
    Answerer pieces;
    const std::size_t used = feed(whole, bytes, bytes.size());
    feed(pieces, bytes, 1);
    if (whole.state() != pieces.state() || whole.error() != pieces.error()) std::abort();
    if (whole.state() != Answerer::State::asked) return;
    if (used > longest_startup) std::abort();
    const Wishes wishes{.crc = false, .ird = 8, .ord = 8};
    const Agreement& agreement = whole.accept(wishes, whole.request().private_data());
    if (agreement.ird > wishes.ird || agreement.ord > wishes.ord) std::abort();
    // Whoever sent such a request understands the reply.
    StartupReader reader(true);
    reader.feed(whole.output().unsent());
    if (!reader.complete() || reader.frame().enhanced.has_value() != agreement.enhanced)
        std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Bytes bytes = std::as_bytes(std::span(data, size));
    ask(bytes, {});
    ask(bytes, {.revision = 1});
    ask(bytes, {.ird = 2, .ord = 3, .peer_to_peer = false});
    answer(bytes);
    return 0;
}
