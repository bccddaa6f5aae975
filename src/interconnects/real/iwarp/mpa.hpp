#pragma once
/// MPA (RFC 5044): what frames (FPDUs) look like in the byte stream.
///
///     [Marker] | length (2) | ULPDU | pad (0..3) | CRC (4)      Markers every 512 bytes, if asked
///     for

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace railyard::iwarp::mpa {

inline constexpr std::size_t length_size = 2;
inline constexpr std::size_t crc_size = 4;
inline constexpr std::size_t marker_size = 4;
inline constexpr std::size_t marker_interval = 512;  ///< from one Marker's first byte to the next's
inline constexpr std::size_t least_ulpdu = 128;      ///< the least that an MULPDU may be
inline constexpr std::size_t most_ulpdu = 64768;     ///< the most that may be sent

/// What the two sides agreed on for one direction.
struct Framing {
    bool crc = true;
    bool markers = false;
    friend bool operator==(const Framing&, const Framing&) = default;
};

constexpr std::size_t pad_of(std::size_t ulpdu) {
    return (0 - (length_size + ulpdu)) % 4;
}
/// A frame without Markers.
constexpr std::size_t frame_size(std::size_t ulpdu) {
    return length_size + ulpdu + pad_of(ulpdu) + crc_size;
}
/// Markers inside a frame of `size` bytes (without them) whose length field is at `position` of the
/// stream. One right before the length field is not counted, nor one right after the CRC: that is
/// the next frame's.
constexpr std::size_t markers_inside(std::uint64_t position, std::size_t size) {
    const std::size_t room = marker_interval - position % marker_interval;
    if (size <= room) return 0;
    constexpr std::size_t between = marker_interval - marker_size;
    return (size - room + between - 1) / between;
}
/// The longest frame that a length field can announce, with all Markers.
inline constexpr std::size_t longest_frame = [] {
    const std::size_t plain = frame_size(65535);
    return marker_size + plain + (markers_inside(marker_size, plain) + 1) * marker_size;
}();

/// MULPDU: how long a ULPDU may be so that its frame fits into one TCP segment of `emss` bytes.
constexpr std::size_t ulpdu_for_segment(std::size_t emss, bool markers) {
    const std::size_t marker_bytes =
        markers ? marker_size * ((emss + marker_interval - 1) / marker_interval) : 0;
    const std::size_t overhead = length_size + crc_size + marker_bytes + emss % 4;
    return std::clamp(emss > overhead ? emss - overhead : 0, least_ulpdu, most_ulpdu);
}

/// What MPA itself finds wrong. Codes of a Terminate's layer 2, type 0.
enum class Fault : std::uint8_t {
    lost = 0x01,
    crc = 0x02,
    marker = 0x03,
    bad_startup = 0x04,
    local = 0x05,
    insufficient_ird = 0x06,
    no_matching_rtr = 0x07,
};

}  // namespace railyard::iwarp::mpa
