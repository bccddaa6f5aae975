#pragma once
/// The loops that all packing ends in: pieces of one size, or the members of a record, evenly
/// spaced in a user's memory and in the stream. Each size has its own loop, without calls.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/copy_few.hpp"

namespace railyard::mpi {

/// Addresses are counted as integers: an absolute address has no object that it is an offset into.
using Address = std::uintptr_t;

inline Address moved(Address address, std::ptrdiff_t by) {
    return address + static_cast<Address>(by);
}

/// So many bytes at any address, in a register.
template <std::size_t n>
struct WordOf;
template <>
struct WordOf<1> {
    using Type = std::uint8_t;
};
template <>
struct WordOf<2> {
    using Type = std::uint16_t;
};
template <>
struct WordOf<4> {
    using Type = std::uint32_t;
};
template <>
struct WordOf<8> {
    using Type = std::uint64_t;
};
template <>
struct WordOf<16> {
    using Type [[gnu::vector_size(16)]] = std::uint64_t;
};
template <std::size_t n>
using Word = typename WordOf<n>::Type;

template <std::size_t n>
inline Word<n> load_word(const void* from) {
    Word<n> word;
    std::memcpy(&word, from, n);
    return word;
}
template <class AnyWord>
inline void store_word(void* to, AnyWord word) {
    std::memcpy(to, &word, sizeof word);
}

// Pieces: what is copied at a time.

/// A size that the compiler knows.
template <std::size_t n>
struct Exact {
    static constexpr bool is_word = n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
    static constexpr std::size_t size() { return n; }
    static void copy(void* to, const void* from) { std::memcpy(to, from, n); }
};

/// From one word to two: two, which may overlap.
template <std::size_t word>
struct TwoWords {
    static constexpr bool is_word = false;
    std::size_t n;

    std::size_t size() const { return n; }
    void copy(void* to, const void* from) const {
        const auto first = load_word<word>(from);
        const auto last = load_word<word>(static_cast<const std::byte*>(from) + n - word);
        store_word(to, first);
        store_word(static_cast<std::byte*>(to) + n - word, last);
    }
};

/// From 32 bytes to 64: two at each end, which may overlap.
struct FourWords {
    static constexpr bool is_word = false;
    std::size_t n;

    std::size_t size() const { return n; }
    void copy(void* to, const void* from) const {
        const auto* const source = static_cast<const std::byte*>(from);
        auto* const target = static_cast<std::byte*>(to);
        const auto a = load_word<16>(source);
        const auto b = load_word<16>(source + 16);
        const auto c = load_word<16>(source + n - 32);
        const auto d = load_word<16>(source + n - 16);
        store_word(target, a);
        store_word(target + 16, b);
        store_word(target + n - 32, c);
        store_word(target + n - 16, d);
    }
};

/// Worth a call each.
struct Long {
    static constexpr bool is_word = false;
    std::size_t n;

    std::size_t size() const { return n; }
    void copy(void* to, const void* from) const { std::memcpy(to, from, n); }
};

/// Calls act(piece) with the piece for so many bytes; there is one at least.
template <class Act>
void with_piece(std::size_t size, Act&& act) {
    switch (size) {
        case 1:
            return act(Exact<1>());
        case 2:
            return act(Exact<2>());
        case 4:
            return act(Exact<4>());
        case 8:
            return act(Exact<8>());
        case 12:
            return act(Exact<12>());
        case 16:
            return act(Exact<16>());
        case 24:
            return act(Exact<24>());
        case 32:
            return act(Exact<32>());
        default:
            break;
    }
    if (size < 4) return act(TwoWords<2>{size});
    if (size < 8) return act(TwoWords<4>{size});
    if (size < 16) return act(TwoWords<8>{size});
    if (size < 32) return act(TwoWords<16>{size});
    if (size <= 64) return act(FourWords{size});
    return act(Long{size});
}

/// From the user's memory to the stream.
struct Gather {
    using Byte = std::byte;
    static constexpr std::size_t stretch = 256;  ///< of a row across memory; measured
    static const void* source(Address at, Byte*) { return reinterpret_cast<const void*>(at); }
    static void* target(Address, Byte* stream) { return stream; }
};

/// From the stream to the user's memory. What lies between pieces may belong to others, and is
/// never written.
struct Scatter {
    using Byte = const std::byte;
    static constexpr std::size_t stretch = 16;  ///< less, as each element goes to another page
    static const void* source(Address, Byte* stream) { return stream; }
    static void* target(Address at, Byte*) { return reinterpret_cast<void*>(at); }
};

template <class Way, class Piece>
inline void copy_piece(const Piece& piece, Address at, typename Way::Byte* stream) {
    piece.copy(Way::target(at, stream), Way::source(at, stream));
}

/// One of many of different sizes, where to choose a piece for each would be guesswork for the
/// processor: word by word, with one end to guess.
template <class Way>
inline void copy_block(Address at, typename Way::Byte* stream, std::size_t size) {
    const auto* const from = static_cast<const std::byte*>(Way::source(at, stream));
    auto* const to = static_cast<std::byte*>(Way::target(at, stream));
    if (size < 8) return copy_few(to, from, size);
    if (size > 64) {
        std::memcpy(to, from, size);
        return;
    }
    const auto last = load_word<8>(from + size - 8);
    for (std::size_t i = 0; i + 8 < size; i += 8)
        store_word(to + i, load_word<8>(from + i));
    store_word(to + size - 8, last);
}

/// The same member of `count` elements: `stride` apart where they are, `step` apart in the stream.
struct Lattice {
    Address at;
    std::ptrdiff_t stride;
    std::size_t start;  ///< in the stream, from its current place
    std::size_t step;
    std::size_t count;
};

/// All pieces of a lattice, which is a copy, so that no store can change it.
template <class Way, class Piece>
void each(Lattice l, typename Way::Byte* stream, const Piece piece) {
    stream += l.start;
    if constexpr (Piece::is_word) {
        // Four are read before the first is written: then no load waits for a store that only
        // looks as if it were to the same place.
        constexpr std::size_t n = Piece::size();
        for (; l.count >= 4; l.count -= 4) {
            const Address at[] = {l.at, moved(l.at, l.stride), moved(l.at, 2 * l.stride),
                                  moved(l.at, 3 * l.stride)};
            const auto a = load_word<n>(Way::source(at[0], stream));
            const auto b = load_word<n>(Way::source(at[1], stream + l.step));
            const auto c = load_word<n>(Way::source(at[2], stream + 2 * l.step));
            const auto d = load_word<n>(Way::source(at[3], stream + 3 * l.step));
            store_word(Way::target(at[0], stream), a);
            store_word(Way::target(at[1], stream + l.step), b);
            store_word(Way::target(at[2], stream + 2 * l.step), c);
            store_word(Way::target(at[3], stream + 3 * l.step), d);
            l.at = moved(l.at, 4 * l.stride);
            stream += 4 * l.step;
        }
    }
    for (; l.count != 0; --l.count, l.at = moved(l.at, l.stride), stream += l.step)
        copy_piece<Way>(piece, l.at, stream);
}

/// Pieces at each of `offsets`, one after the other in the stream.
template <class Way, class Piece>
void each_at(std::span<const std::ptrdiff_t> offsets, Address base, typename Way::Byte* stream,
             const Piece piece) {
    for (const std::ptrdiff_t offset : offsets) {
        copy_piece<Way>(piece, moved(base, offset), stream);
        stream += piece.size();
    }
}

/// Some words of records, the first of which is at `at` and at the current place of the stream. In
/// the stream the words follow each other.
struct Words {
    Address at;
    std::ptrdiff_t stride;
    std::size_t step;
    std::size_t count;  ///< records
    const std::ptrdiff_t* offsets;
    const std::size_t* starts;  ///< one more than words: the end of the last
};

/// Words in one pass over the records; so many have a loop of their own for each mix of sizes.
constexpr std::size_t words_at_once = 3;

/// The words are a copy, so that no store can change them.
template <class Way, std::size_t... sizes, std::size_t... i>
void copy_mixed(Words words, typename Way::Byte* stream, std::index_sequence<i...>) {
    constexpr std::array all{sizes...};
    // From the first word on.
    constexpr std::array starts{std::accumulate(all.begin(), all.begin() + i, std::size_t{0})...};
    const std::ptrdiff_t offsets[] = {(words.offsets[i] - words.offsets[0])...};
    Address at = moved(words.at, words.offsets[0]);
    stream += words.starts[0];
    const auto take = [&](Address record, typename Way::Byte* place) {
        return std::tuple(
            load_word<sizes>(Way::source(moved(record, offsets[i]), place + starts[i]))...);
    };
    const auto put = [&](Address record, typename Way::Byte* place, const auto& taken) {
        (store_word(Way::target(moved(record, offsets[i]), place + starts[i]), std::get<i>(taken)),
         ...);
    };
    // Two are read before the first is written, as above.
    for (; words.count >= 2; words.count -= 2) {
        const auto first = take(at, stream);
        const auto second = take(moved(at, words.stride), stream + words.step);
        put(at, stream, first);
        put(moved(at, words.stride), stream + words.step, second);
        at = moved(at, 2 * words.stride);
        stream += 2 * words.step;
    }
    if (words.count != 0) put(at, stream, take(at, stream));
}

/// As many of the words as one loop takes, those of `sizes` and more; returns how many.
template <class Way, std::size_t... sizes>
std::size_t copy_some(const Words& words, std::size_t count, typename Way::Byte* stream) {
    constexpr std::size_t known = sizeof...(sizes);
    if constexpr (known < words_at_once) {
        if (known < count) switch (words.starts[known + 1] - words.starts[known]) {
                case 1:
                    return copy_some<Way, sizes..., 1>(words, count, stream);
                case 2:
                    return copy_some<Way, sizes..., 2>(words, count, stream);
                case 4:
                    return copy_some<Way, sizes..., 4>(words, count, stream);
                case 8:
                    return copy_some<Way, sizes..., 8>(words, count, stream);
                case 16:
                    return copy_some<Way, sizes..., 16>(words, count, stream);
                default:
                    break;
            }
    }
    if constexpr (known == 0)
        with_piece(words.starts[1] - words.starts[0], [&](auto piece) {
            each<Way>({moved(words.at, words.offsets[0]), words.stride, words.starts[0], words.step,
                       words.count},
                      stream, piece);
        });
    else
        copy_mixed<Way, sizes...>(words, stream, std::make_index_sequence<known>());
    return known == 0 ? 1 : known;
}

}  // namespace railyard::mpi
