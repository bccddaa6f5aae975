/// Any segments to DDP's and RDMAP's receiving side, without MPA: each is taken or ends the stream,
/// and no byte changes but those that a segment may reach.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "interconnects/real/iwarp/receiver.hpp"

namespace {

using namespace railyard;
using namespace railyard::iwarp;

constexpr std::size_t room = 64;
constexpr std::byte untouched{0x55};

/// A region amid bytes that nobody may write.
struct Guarded {
    Guarded() { bytes.fill(untouched); }
    std::span<std::byte> region() { return std::span(bytes).subspan(room, room); }
    bool intact() const {
        const auto clean = [](std::byte b) { return b == untouched; };
        return std::all_of(bytes.begin(), bytes.begin() + room, clean) &&
               std::all_of(bytes.begin() + 2 * room, bytes.end(), clean);
    }
    alignas(8) std::array<std::byte, 3 * room> bytes;
};

struct Listener final : Upcalls {
    const ReceiveBuffer* claim_receive() override { return ended ? nullptr : &buffer; }
    void received(const Arrival& arrival) override {
        // An immediate tells of the write before it: of all its segments, and those may overlap.
        if ((arrival.length > room && !arrival.has_immediate) || ended) std::abort();
    }
    void receive_failed(Status) override {}
    void written() override {}
    void requested() override {}
    void answered(const Outstanding&, std::uint64_t) override {}
    void failed(const Terminate& found) override {
        end();
        std::array<std::byte, Terminate::longest> body;
        const std::size_t n = found.write(body.data());
        const auto read = Terminate::read_from(std::span(body).first(n));
        if (!read || !(*read == found)) std::abort();
    }
    void terminated_by_peer(const Terminate&) override { end(); }
    void lost() override { end(); }
    void end() {
        if (ended) std::abort();
        ended = true;
    }

    Guarded receive;
    Place place{receive.region().data(), room, Lease()};
    ReceiveBuffer buffer{{&place, 1}, room};
    bool ended = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::span<const std::byte> input = std::as_bytes(std::span(data, size));
    Listener listener;
    Guarded writable;
    Guarded readable;
    Guarded sink;
    std::uint32_t next_tag = 1;
    TagTable tags([&] { return next_tag++; });
    const auto add = [&](Guarded& memory, fabric::Access access) {
        tags.add({.memory = memory.region(),
                  .access = access,
                  .invalidation = Invalidation::by_its_domain});
    };
    add(writable, fabric::Access::remote_write);
    add(readable, fabric::Access::remote_read | fabric::Access::remote_atomic);
    Receiver receiver({.asker = {Domain{}, StreamId{1}}, .ird = 2, .ord = 2}, tags, listener);
    const Place sink_place{sink.region().data(), room, Lease()};
    receiver.outstanding().push(
        {.sink_stag = 9, .sink_to = 0, .length = room, .sink = {&sink_place, 1}});
    receiver.outstanding().push({.atomic = true, .id = 0});

    while (!input.empty() && !listener.ended) {
        const std::size_t length =
            std::min<std::size_t>(std::to_integer<std::size_t>(input[0]), input.size() - 1);
        const std::span<const std::byte> ulpdu = input.subspan(1, length);
        input = input.subspan(1 + length);
        const std::size_t head =
            ulpdu.empty() ? 0 : std::min(ulpdu.size(), ddp::header_size(ulpdu[0]));
        Cursor payload;
        const mpa::Verdict verdict = receiver.begin(ulpdu.first(head), ulpdu.size(), payload);
        if (verdict != mpa::Verdict::go) {
            if (!listener.ended) std::abort();
            break;
        }
        if (!payload.write(ulpdu.subspan(head))) std::abort();
        if ((receiver.end() == mpa::Verdict::stop) != listener.ended) std::abort();
    }
    if (!writable.intact() || !sink.intact() || !listener.receive.intact()) std::abort();
    for (const std::byte b : readable.bytes)
        if (b != untouched) std::abort();  // read and changed only when answered
    return 0;
}
