#include "interconnects/real/iwarp/headers.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <cstring>

#include "interconnects/real/iwarp/big_endian.hpp"

namespace railyard::iwarp::ddp {

namespace {
constexpr std::uint8_t tagged_flag = 0x80;
constexpr std::uint8_t last_flag = 0x40;
constexpr std::uint8_t version_mask = 0x03;
}  // namespace

void write(std::byte* to, const Header& header) {
    store8(to, static_cast<std::uint8_t>((header.tagged ? tagged_flag : 0) |
                                         (header.last ? last_flag : 0) | header.version));
    store8(to + 1, header.ulp_control);
    if (header.tagged) {
        store32(to + 2, header.stag);
        store64(to + 6, header.to);
        return;
    }
    store32(to + 2, header.ulp_word);
    store32(to + 6, header.queue);
    store32(to + 10, header.msn);
    store32(to + 14, header.mo);
}

Header read(const std::byte* from) {
    Header header;
    const std::uint8_t control = load8(from);
    header.tagged = (control & tagged_flag) != 0;
    header.last = (control & last_flag) != 0;
    header.version = control & version_mask;
    header.ulp_control = load8(from + 1);
    if (header.tagged) {
        header.stag = load32(from + 2);
        header.to = load64(from + 6);
        return header;
    }
    header.ulp_word = load32(from + 2);
    header.queue = load32(from + 6);
    header.msn = load32(from + 10);
    header.mo = load32(from + 14);
    return header;
}

}  // namespace railyard::iwarp::ddp

namespace railyard::iwarp::rdmap {

Shape shape_of(Opcode opcode) {
    using ddp::Queue;
    switch (opcode) {
        case Opcode::write:
        case Opcode::read_response:
            return {.assigned = true, .tagged = true};
        case Opcode::read_request:
            return {.assigned = true, .queue = Queue::request, .length = ReadRequest::size};
        case Opcode::send:
            return {.assigned = true};
        case Opcode::send_invalidate:
            return {.assigned = true, .invalidates = true};
        case Opcode::send_solicited:
            return {.assigned = true, .solicited = true};
        case Opcode::send_solicited_invalidate:
            return {.assigned = true, .invalidates = true, .solicited = true};
        case Opcode::terminate:
            return {.assigned = true, .queue = Queue::terminate};
        case Opcode::immediate:
            return {.assigned = true, .length = Immediate::size};
        case Opcode::immediate_solicited:
            return {.assigned = true, .length = Immediate::size, .solicited = true};
        case Opcode::atomic_request:
            return {.assigned = true, .queue = Queue::request, .length = AtomicRequest::size};
        case Opcode::atomic_response:
            return {
                .assigned = true, .queue = Queue::atomic_response, .length = AtomicResponse::size};
    }
    return {};
}

void write(std::byte* to, const ReadRequest& request) {
    store32(to, request.sink_stag);
    store64(to + 4, request.sink_to);
    store32(to + 12, request.length);
    store32(to + 16, request.source_stag);
    store64(to + 20, request.source_to);
}

ReadRequest read_read_request(const std::byte* from) {
    return {.sink_stag = load32(from),
            .sink_to = load64(from + 4),
            .length = load32(from + 12),
            .source_stag = load32(from + 16),
            .source_to = load64(from + 20)};
}

void write(std::byte* to, const AtomicRequest& request) {
    store32(to, static_cast<std::uint32_t>(request.op));
    store32(to + 4, request.id);
    store32(to + 8, request.stag);
    store64(to + 12, request.to);
    store64(to + 20, request.operand);
    store64(to + 28, request.operand_mask);
    store64(to + 36, request.compare);
    store64(to + 44, request.compare_mask);
}

AtomicRequest read_atomic_request(const std::byte* from) {
    constexpr std::uint32_t op_mask = 0x0f;  // the other bits are reserved
    return {.op = static_cast<AtomicOp>(load32(from) & op_mask),
            .id = load32(from + 4),
            .stag = load32(from + 8),
            .to = load64(from + 12),
            .operand = load64(from + 20),
            .operand_mask = load64(from + 28),
            .compare = load64(from + 36),
            .compare_mask = load64(from + 44)};
}

void write(std::byte* to, const AtomicResponse& response) {
    store32(to, response.id);
    store64(to + 4, response.original);
}

AtomicResponse read_atomic_response(const std::byte* from) {
    return {.id = load32(from), .original = load64(from + 4)};
}

void write(std::byte* to, const Immediate& immediate) {
    store32(to, immediate.value);
    store32(to + 4, immediate.with_send ? 1 : 0);
}

Immediate read_immediate(const std::byte* from) {
    return {.value = load32(from), .with_send = load32(from + 4) == 1};
}

namespace {

/// Adds the fields of which a mask marks the highest bits: no carry leaves a field.
std::uint64_t add_fields(std::uint64_t a, std::uint64_t b, std::uint64_t field_ends) {
    // Add all but the fields' top bits, which then can carry no further; put those in by
    // themselves.
    const std::uint64_t low = (a & ~field_ends) + (b & ~field_ends);
    return low ^ ((a ^ b) & field_ends);
}

std::uint64_t after(const AtomicRequest& request, std::uint64_t old) {
    if (request.op == AtomicOp::fetch_add)
        return add_fields(old, request.operand, request.operand_mask);
    if (((old ^ request.compare) & request.compare_mask) != 0) return old;
    return (old & ~request.operand_mask) | (request.operand & request.operand_mask);
}

}  // namespace

std::uint64_t carry_out(const AtomicRequest& request, std::byte* target) {
    const std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(static_cast<void*>(target)));
    std::uint64_t old = word.load(std::memory_order_relaxed);
    // Sequentially consistent: it pairs with whatever atomics the program has on this word.
    while (!word.compare_exchange_weak(old, after(request, old), std::memory_order_seq_cst,
                                       std::memory_order_relaxed)) {
    }
    return old;
}

}  // namespace railyard::iwarp::rdmap

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
