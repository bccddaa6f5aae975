#pragma once
/// The headers of DDP and RDMAP as they are on the wire.
///
/// DDP (RFC 5041): a segment is tagged, and says itself where in the peer's memory it goes, or
/// untagged, and goes into the next buffer of one of the peer's queues. RDMAP (RFC 5040, and 7306
/// for immediate data and atomics): its operations, and the headers that some of them have after
/// DDP's.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "interconnects/real/iwarp/framing.hpp"

namespace railyard::iwarp::ddp {

inline constexpr std::size_t tagged_size = 14;
inline constexpr std::size_t untagged_size = 18;
inline constexpr std::size_t longest_header = untagged_size;
inline constexpr std::uint8_t version = 1;
inline constexpr std::uint32_t first_msn = 1;

/// The untagged queues, as RDMAP uses them.
enum class Queue : std::uint32_t { send = 0, request = 1, terminate = 2, atomic_response = 3 };
inline constexpr std::size_t queues = 4;

inline constexpr std::byte tagged_bit{0x80};
/// From the first byte of a segment.
constexpr std::size_t header_size(std::byte control) {
    return (control & tagged_bit) != std::byte{} ? tagged_size : untagged_size;
}

struct Header {
    bool tagged = false;
    bool last = true;
    std::uint8_t version = ddp::version;
    std::uint8_t ulp_control = 0;  ///< RDMAP's
    // tagged
    std::uint32_t stag = 0;
    std::uint64_t to = 0;
    // untagged
    std::uint32_t ulp_word = 0;  ///< RDMAP's: the tag to invalidate
    std::uint32_t queue = 0;
    std::uint32_t msn = 0;
    std::uint32_t mo = 0;

    std::size_t size() const { return tagged ? tagged_size : untagged_size; }
    friend bool operator==(const Header&, const Header&) = default;
};

/// Writes header.size() bytes.
void write(std::byte* to, const Header& header);
/// `from` has the size that header_size() says.
Header read(const std::byte* from);

/// DDP's codes in a Terminate (layer 1).
enum class TaggedError : std::uint8_t {
    invalid_stag = 0x00,
    out_of_bounds = 0x01,
    not_of_stream = 0x02,
    wraps = 0x03,
    bad_version = 0x04,
};
enum class UntaggedError : std::uint8_t {
    queue = 0x01,
    no_buffer = 0x02,
    msn = 0x03,
    mo = 0x04,
    too_long = 0x05,
    bad_version = 0x06,
};

}  // namespace railyard::iwarp::ddp

namespace railyard::iwarp::rdmap {

inline constexpr std::uint8_t version = 1;

enum class Opcode : std::uint8_t {
    write = 0x0,
    read_request = 0x1,
    read_response = 0x2,
    send = 0x3,
    send_invalidate = 0x4,
    send_solicited = 0x5,
    send_solicited_invalidate = 0x6,
    terminate = 0x7,
    immediate = 0x8,
    immediate_solicited = 0x9,
    atomic_request = 0xa,
    atomic_response = 0xb,
};

/// How an operation travels.
struct Shape {
    bool assigned = false;
    bool tagged = false;
    ddp::Queue queue{};      ///< untagged
    std::size_t length = 0;  ///< of the whole message; 0: any
    bool invalidates = false;
    bool solicited = false;
};
Shape shape_of(Opcode opcode);

/// RDMAP's byte in a DDP header.
struct Control {
    std::uint8_t version = rdmap::version;
    Opcode opcode{};
};
constexpr std::uint8_t to_byte(Opcode opcode) {
    return static_cast<std::uint8_t>(version << 6 | static_cast<unsigned>(opcode));
}
constexpr Control to_control(std::uint8_t byte) {
    return {static_cast<std::uint8_t>(byte >> 6), static_cast<Opcode>(byte & 0x0f)};
}

struct ReadRequest {
    static constexpr std::size_t size = 28;
    std::uint32_t sink_stag = 0;
    std::uint64_t sink_to = 0;
    std::uint32_t length = 0;
    std::uint32_t source_stag = 0;
    std::uint64_t source_to = 0;
    friend bool operator==(const ReadRequest&, const ReadRequest&) = default;
};

enum class AtomicOp : std::uint8_t { fetch_add = 0, compare_swap = 2 };

struct AtomicRequest {
    static constexpr std::size_t size = 52;
    AtomicOp op = AtomicOp::fetch_add;
    std::uint32_t id = 0;
    std::uint32_t stag = 0;
    std::uint64_t to = 0;
    std::uint64_t operand = 0;       ///< the addend, or the value to swap in
    std::uint64_t operand_mask = 0;  ///< add: where carries end; swap: which bits
    std::uint64_t compare = 0;
    std::uint64_t compare_mask = ~std::uint64_t{};
    friend bool operator==(const AtomicRequest&, const AtomicRequest&) = default;
};

struct AtomicResponse {
    static constexpr std::size_t size = 12;
    std::uint32_t id = 0;
    std::uint64_t original = 0;
    friend bool operator==(const AtomicResponse&, const AtomicResponse&) = default;
};

/// Eight bytes, of which the verbs' 32-bit value is the first four.
struct Immediate {
    static constexpr std::size_t size = 8;
    std::uint32_t value = 0;
    /// The RFC knows no Send with immediate data. Between our own Nics the data go ahead of the
    /// Send, marked in the last four bytes, and both consume one receive together.
    bool with_send = false;
};

/// Room for the longest of these headers, and for a Terminate's body.
inline constexpr std::size_t longest_control = 52;

// Each writes its `size` bytes, and reads as many.
void write(std::byte* to, const ReadRequest& request);
void write(std::byte* to, const AtomicRequest& request);
void write(std::byte* to, const AtomicResponse& response);
void write(std::byte* to, const Immediate& immediate);
ReadRequest read_read_request(const std::byte* from);
/// With whatever operation it names: check it against AtomicOp.
AtomicRequest read_atomic_request(const std::byte* from);
AtomicResponse read_atomic_response(const std::byte* from);
Immediate read_immediate(const std::byte* from);

/// Carries out a request on eight aligned bytes of this host's memory and gives what was there.
/// Atomic with the CPU's own atomics.
std::uint64_t carry_out(const AtomicRequest& request, std::byte* target);

/// RDMAP's codes in a Terminate (layer 0).
enum class ProtectionError : std::uint8_t {
    invalid_stag = 0x00,
    out_of_bounds = 0x01,
    no_right = 0x02,
    not_of_stream = 0x03,
    wraps = 0x04,
    cannot_invalidate = 0x09,
};
enum class OperationError : std::uint8_t {
    bad_version = 0x05,
    opcode = 0x06,
    stream = 0x07,  ///< catastrophic, for this stream
    cannot_invalidate = 0x09,
};

}  // namespace railyard::iwarp::rdmap

namespace railyard::iwarp {

/// The last message of a stream that ends in error: who found what, and the headers of the segment
/// that was wrong.
struct Terminate {
    enum class Layer : std::uint8_t { rdmap = 0, ddp = 1, llp = 2 };
    Layer layer = Layer::rdmap;
    std::uint8_t type = 0;
    std::uint8_t code = 0;
    bool has_length = false;
    std::uint16_t segment_length = 0;  ///< of the ULPDU that was wrong
    std::uint8_t ddp_size = 0;         ///< 0: no header is returned
    std::array<std::byte, ddp::longest_header> ddp{};
    bool has_read = false;
    rdmap::ReadRequest read{};

    static constexpr std::size_t longest = 4 + 2 + ddp::longest_header + rdmap::ReadRequest::size;
    static_assert(longest == rdmap::longest_control);

    /// As the body of a message; returns its length. `to` has room for `longest`.
    std::size_t write(std::byte* to) const;
    /// Nothing if `body` is not a Terminate's.
    static std::optional<Terminate> read_from(std::span<const std::byte> body);
    /// For people: "DDP, tagged buffer error: out of bounds (1/1/01)".
    std::string text() const;

    friend bool operator==(const Terminate&, const Terminate&) = default;
};

// By what was found.
Terminate terminate(mpa::Fault fault);
Terminate terminate(ddp::TaggedError error);
Terminate terminate(ddp::UntaggedError error);
Terminate terminate(rdmap::ProtectionError error);
Terminate terminate(rdmap::OperationError error);
/// DDP's local catastrophic error: a segment too short to be one.
Terminate terminate_short_segment();
/// RDMAP's: this side cannot go on, through no fault of the peer's.
Terminate terminate_local();

}  // namespace railyard::iwarp
