#pragma once
/// The two directions between a user's memory and the packed stream: block by block in the order of
/// the stream, or one member of many elements at a time.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace railyard::mpi {

/// Addresses are counted as integers: an absolute address has no object that it is an offset into.
using Place = std::uintptr_t;

inline Place moved(Place place, std::ptrdiff_t by) {
    return place + static_cast<Place>(by);
}

/// The same member of `count` elements: `stride` apart where they are, `step` apart in the stream.
struct Lattice {
    Place at;
    std::ptrdiff_t stride;
    std::size_t start;  ///< in the stream, from its current place
    std::size_t step;
    std::size_t count;
};

template <class Byte, class One>
void each(Lattice l, Byte* stream, One one) {  // copies: no store can change them
    stream += l.start;
    for (; l.count != 0; --l.count, l.at = moved(l.at, l.stride), stream += l.step)
        one(l.at, stream);
}

/// Copies from the user's memory; `stream` runs ahead.
struct Gather {
    std::byte* stream;

    template <std::size_t n>
    void fixed(Place at) {
        std::memcpy(stream, reinterpret_cast<const void*>(at), n);
        stream += n;
    }
    void bytes(Place at, std::size_t n) {
        std::memcpy(stream, reinterpret_cast<const void*>(at), n);
        stream += n;
    }
    void apart(const Lattice& l, std::size_t n) const {
        each(l, stream, [n](Place at, std::byte* to) {
            std::memcpy(to, reinterpret_cast<const void*>(at), n);
        });
    }
    template <std::size_t n>
    void fixed_apart(const Lattice& l) const {
        each(l, stream, [](Place at, std::byte* to) {
            std::memcpy(to, reinterpret_cast<const void*>(at), n);
        });
    }
    /// Every other one: with a stride that it knows, the compiler makes vector loads of it.
    template <class Unit>
    bool alternate(Place at, std::size_t count, std::ptrdiff_t stride) {
        if (stride != 2 * static_cast<std::ptrdiff_t>(sizeof(Unit)) || at % alignof(Unit) != 0 ||
            reinterpret_cast<Place>(stream) % alignof(Unit) != 0)
            return false;
        const auto* from = reinterpret_cast<const std::byte*>(at);
        std::byte* to = stream;
        for (std::size_t i = 0; i < count; ++i) {
            Unit unit;
            std::memcpy(&unit, from + 2 * i * sizeof(Unit), sizeof(Unit));
            std::memcpy(to + i * sizeof(Unit), &unit, sizeof(Unit));
        }
        stream += count * sizeof(Unit);
        return true;
    }
};

/// Copies to the user's memory.
struct Scatter {
    const std::byte* stream;

    template <std::size_t n>
    void fixed(Place at) {
        std::memcpy(reinterpret_cast<void*>(at), stream, n);
        stream += n;
    }
    void bytes(Place at, std::size_t n) {
        std::memcpy(reinterpret_cast<void*>(at), stream, n);
        stream += n;
    }
    void apart(const Lattice& l, std::size_t n) const {
        each(l, stream, [n](Place at, const std::byte* from) {
            std::memcpy(reinterpret_cast<void*>(at), from, n);
        });
    }
    template <std::size_t n>
    void fixed_apart(const Lattice& l) const {
        each(l, stream, [](Place at, const std::byte* from) {
            std::memcpy(reinterpret_cast<void*>(at), from, n);
        });
    }
    /// What lies between may belong to others, so that whole vectors cannot be stored.
    template <class Unit>
    bool alternate(Place, std::size_t, std::ptrdiff_t) {
        return false;
    }
};

}  // namespace railyard::mpi
