#include "interconnects/real/iwarp/terminate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interconnects/real/iwarp/big_endian.hpp"

namespace railyard::iwarp {

namespace {

constexpr std::uint32_t length_flag = 0x8000;
constexpr std::uint32_t ddp_flag = 0x4000;
constexpr std::uint32_t read_flag = 0x2000;

template <class Code>
Terminate make(Terminate::Layer layer, std::uint8_t type, Code code) {
    Terminate t;
    t.layer = layer;
    t.type = type;
    t.code = static_cast<std::uint8_t>(code);
    return t;
}

struct Meaning {
    Terminate::Layer layer;
    std::uint8_t type;
    std::uint8_t code;
    const char* text;
};
using Layer = Terminate::Layer;
constexpr Meaning meanings[] = {
    {Layer::rdmap, 0, 0x00, "local catastrophic error"},
    {Layer::rdmap, 1, 0x00, "invalid STag"},
    {Layer::rdmap, 1, 0x01, "out of the region's bounds"},
    {Layer::rdmap, 1, 0x02, "no right to that access"},
    {Layer::rdmap, 1, 0x03, "the STag is not this stream's"},
    {Layer::rdmap, 1, 0x04, "the offset wraps"},
    {Layer::rdmap, 1, 0x09, "the STag cannot be invalidated"},
    {Layer::rdmap, 2, 0x05, "wrong RDMAP version"},
    {Layer::rdmap, 2, 0x06, "unexpected operation"},
    {Layer::rdmap, 2, 0x07, "this stream cannot go on"},
    {Layer::rdmap, 2, 0x08, "nothing can go on"},
    {Layer::rdmap, 2, 0x09, "the STag cannot be invalidated"},
    {Layer::ddp, 0, 0x00, "a segment too short to be one"},
    {Layer::ddp, 1, 0x00, "invalid STag"},
    {Layer::ddp, 1, 0x01, "out of the region's bounds"},
    {Layer::ddp, 1, 0x02, "the STag is not this stream's"},
    {Layer::ddp, 1, 0x03, "the offset wraps"},
    {Layer::ddp, 1, 0x04, "wrong DDP version"},
    {Layer::ddp, 2, 0x01, "no such queue"},
    {Layer::ddp, 2, 0x02, "no buffer for the message"},
    {Layer::ddp, 2, 0x03, "message number out of range"},
    {Layer::ddp, 2, 0x04, "wrong message offset"},
    {Layer::ddp, 2, 0x05, "message too long for its buffer"},
    {Layer::ddp, 2, 0x06, "wrong DDP version"},
    {Layer::llp, 0, 0x01, "the connection was lost"},
    {Layer::llp, 0, 0x02, "CRC mismatch"},
    {Layer::llp, 0, 0x03, "Marker and length disagree"},
    {Layer::llp, 0, 0x04, "invalid start-up frame"},
    {Layer::llp, 0, 0x05, "local catastrophic error"},
    {Layer::llp, 0, 0x06, "not enough inbound reads (IRD)"},
    {Layer::llp, 0, 0x07, "no ready-to-receive message that both sides know"},
};

}  // namespace

std::size_t Terminate::write(std::byte* to) const {
    std::byte* at = to;
    store32(at, static_cast<std::uint32_t>(layer) << 28 | std::uint32_t{type} << 24 |
                    std::uint32_t{code} << 16 | (has_length ? length_flag : 0) |
                    (ddp_size > 0 ? ddp_flag : 0) | (has_read ? read_flag : 0));
    at += 4;
    if (has_length || ddp_size > 0) {
        store16(at, segment_length);
        at += 2;
        std::memcpy(at, ddp.data(), ddp_size);
        at += ddp_size;
    }
    if (has_read) {
        rdmap::write(at, read);
        at += rdmap::ReadRequest::size;
    }
    return static_cast<std::size_t>(at - to);
}

std::optional<Terminate> Terminate::read_from(std::span<const std::byte> body) {
    const auto take = [&](std::size_t n) {
        const std::byte* const at = body.data();
        const bool enough = body.size() >= n;
        body = body.subspan(std::min(n, body.size()));
        return enough ? at : nullptr;
    };
    const std::byte* at = take(4);
    if (at == nullptr) return {};
    const std::uint32_t word = load32(at);
    Terminate t;
    t.layer = static_cast<Layer>(word >> 28);
    t.type = (word >> 24) & 0x0f;
    t.code = (word >> 16) & 0xff;
    t.has_length = (word & length_flag) != 0;
    const bool has_ddp = (word & ddp_flag) != 0;
    if (t.has_length || has_ddp) {
        if ((at = take(2)) == nullptr) return {};
        t.segment_length = load16(at);
    }
    if (has_ddp) {
        if (body.empty()) return {};
        t.ddp_size = static_cast<std::uint8_t>(ddp::header_size(body[0]));
        if ((at = take(t.ddp_size)) == nullptr) return {};
        std::memcpy(t.ddp.data(), at, t.ddp_size);
    }
    t.has_read = (word & read_flag) != 0;
    if (t.has_read) {
        if ((at = take(rdmap::ReadRequest::size)) == nullptr) return {};
        t.read = rdmap::read_read_request(at);
    }
    return t;
}

std::string Terminate::text() const {
    const char* what = "unknown error";
    for (const Meaning& m : meanings)
        if (m.layer == layer && m.type == type && m.code == code) what = m.text;
    const char* who = layer == Layer::rdmap ? "RDMAP" : layer == Layer::ddp ? "DDP" : "MPA";
    return fmt::format("{}: {} ({}/{}/{:02x})", who, what, static_cast<unsigned>(layer), type,
                       code);
}

Terminate terminate(mpa::Fault fault) {
    return make(Layer::llp, 0, fault);
}
Terminate terminate(ddp::TaggedError error) {
    return make(Layer::ddp, 1, error);
}
Terminate terminate(ddp::UntaggedError error) {
    return make(Layer::ddp, 2, error);
}
Terminate terminate(rdmap::ProtectionError error) {
    return make(Layer::rdmap, 1, error);
}
Terminate terminate(rdmap::OperationError error) {
    return make(Layer::rdmap, 2, error);
}
Terminate terminate_short_segment() {
    return make(Layer::ddp, 0, 0);
}
Terminate terminate_local() {
    return make(Layer::rdmap, 0, 0);
}

}  // namespace railyard::iwarp
