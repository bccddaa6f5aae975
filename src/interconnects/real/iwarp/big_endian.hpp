#pragma once
/// Integers as they travel: most significant byte first. (Only MPA's CRC travels the other way.)

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace railyard::iwarp {

namespace detail {
constexpr std::uint16_t swap_bytes(std::uint16_t v) {
    return __builtin_bswap16(v);
}
constexpr std::uint32_t swap_bytes(std::uint32_t v) {
    return __builtin_bswap32(v);
}
constexpr std::uint64_t swap_bytes(std::uint64_t v) {
    return __builtin_bswap64(v);
}
template <class Word, std::endian order>
Word load(const std::byte* from) {
    Word v;
    std::memcpy(&v, from, sizeof v);
    return std::endian::native == order ? v : swap_bytes(v);
}
template <std::endian order, class Word>
void store(std::byte* to, Word v) {
    if (std::endian::native != order) v = swap_bytes(v);
    std::memcpy(to, &v, sizeof v);
}
}  // namespace detail

inline std::uint8_t load8(const std::byte* from) {
    return std::to_integer<std::uint8_t>(*from);
}
inline std::uint16_t load16(const std::byte* from) {
    return detail::load<std::uint16_t, std::endian::big>(from);
}
inline std::uint32_t load32(const std::byte* from) {
    return detail::load<std::uint32_t, std::endian::big>(from);
}
inline std::uint64_t load64(const std::byte* from) {
    return detail::load<std::uint64_t, std::endian::big>(from);
}
inline void store8(std::byte* to, std::uint8_t v) {
    *to = std::byte{v};
}
inline void store16(std::byte* to, std::uint16_t v) {
    detail::store<std::endian::big>(to, v);
}
inline void store32(std::byte* to, std::uint32_t v) {
    detail::store<std::endian::big>(to, v);
}
inline void store64(std::byte* to, std::uint64_t v) {
    detail::store<std::endian::big>(to, v);
}

/// The CRC's own order: least significant byte first.
inline std::uint32_t load_crc(const std::byte* from) {
    return detail::load<std::uint32_t, std::endian::little>(from);
}
inline void store_crc(std::byte* to, std::uint32_t v) {
    detail::store<std::endian::little>(to, v);
}

}  // namespace railyard::iwarp
