#pragma once
/// DDP (RFC 5041): the headers of its segments. A segment is tagged, and says itself where in the
/// peer's memory it goes, or untagged, and goes into the next buffer of one of the peer's queues.

#include <cstddef>
#include <cstdint>
#include <span>

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
