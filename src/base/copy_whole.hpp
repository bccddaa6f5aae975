#pragma once
/// Copying where others look on meanwhile: one aligned word of 4 or 8 bytes goes as a whole, so
/// that who waits for it finds the old one or the new one. Relaxed: order is the caller's concern.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/copy_few.hpp"

namespace railyard {

namespace detail {

template <class Word>
bool is_whole(const void* shared, std::size_t n) {
    return n == sizeof(Word) && reinterpret_cast<std::uintptr_t>(shared) % sizeof(Word) == 0;
}

}  // namespace detail

/// `to` is what others look at.
inline void store_whole(void* to, const void* from, std::size_t n) {
    const auto store = [&]<class Word>(Word word) {
        std::memcpy(&word, from, sizeof word);
        std::atomic_ref(*static_cast<Word*>(to)).store(word, std::memory_order_relaxed);
    };
    if (detail::is_whole<std::uint64_t>(to, n)) return store(std::uint64_t{});
    if (detail::is_whole<std::uint32_t>(to, n)) return store(std::uint32_t{});
    copy_bytes(to, from, n);
}

/// `from` is what others change.
inline void load_whole(void* to, const void* from, std::size_t n) {
    const auto load = [&]<class Word>(Word word) {
        // atomic_ref takes no const, but a load does not write.
        word = std::atomic_ref(*static_cast<Word*>(const_cast<void*>(from)))
                   .load(std::memory_order_relaxed);
        std::memcpy(to, &word, sizeof word);
    };
    if (detail::is_whole<std::uint64_t>(from, n)) return load(std::uint64_t{});
    if (detail::is_whole<std::uint32_t>(from, n)) return load(std::uint32_t{});
    copy_bytes(to, from, n);
}

}  // namespace railyard
