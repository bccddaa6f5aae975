#pragma once
/// The last message of a stream that ends in error: who found what, and the headers of the segment
/// that was wrong.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "interconnects/real/iwarp/headers.hpp"
#include "interconnects/real/iwarp/mpa.hpp"

namespace railyard::iwarp {

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
