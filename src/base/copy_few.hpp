#pragma once
/// Copying a number of bytes that is known only at run time and mostly small, without a call.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace railyard {

/// Up to 16 bytes: two words that may overlap.
inline void copy_few(std::byte* to, const std::byte* from, std::size_t n) {
    const auto ends = [&]<class Word>(Word) {
        Word first;
        Word last;
        std::memcpy(&first, from, sizeof first);
        std::memcpy(&last, from + n - sizeof last, sizeof last);
        std::memcpy(to, &first, sizeof first);
        std::memcpy(to + n - sizeof last, &last, sizeof last);
    };
    if (n >= 8) return ends(std::uint64_t{});
    if (n >= 4) return ends(std::uint32_t{});
    if (n >= 2) return ends(std::uint16_t{});
    if (n == 1) *to = *from;
}

inline void copy_bytes(void* to, const void* from, std::size_t n) {
    if (n <= 16)
        return copy_few(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), n);
    std::memcpy(to, from, n);
}

}  // namespace railyard
