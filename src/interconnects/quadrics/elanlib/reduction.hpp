#pragma once
/// Reductions over active sets by the names of Cray's Shmem: and, or, xor, min, max, sum, prod.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "interconnects/quadrics/elanlib/active_set.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elanlib {

enum class Reduction : std::uint8_t { bit_and, bit_or, bit_xor, min, max, sum, prod };

/// Whole numbers wrap around.
template <std::integral T>
T reduced(Reduction reduction, T a, T b) {
    using Bits = std::make_unsigned_t<T>;
    const std::uint64_t x = static_cast<Bits>(a);
    const std::uint64_t y = static_cast<Bits>(b);
    switch (reduction) {
        case Reduction::bit_and:
            return static_cast<T>(x & y);
        case Reduction::bit_or:
            return static_cast<T>(x | y);
        case Reduction::bit_xor:
            return static_cast<T>(x ^ y);
        case Reduction::min:
            return std::min(a, b);
        case Reduction::max:
            return std::max(a, b);
        case Reduction::sum:
            return static_cast<T>(x + y);
        case Reduction::prod:
            return static_cast<T>(x * y);
    }
    return a;
}

template <std::floating_point T>
T reduced(Reduction reduction, T a, T b) {
    switch (reduction) {
        case Reduction::min:
            return std::min(a, b);
        case Reduction::max:
            return std::max(a, b);
        case Reduction::sum:
            return a + b;
        case Reduction::prod:
            return a * b;
        default:
            throw UsageError("and, or and xor are of whole numbers; these are floating-point");
    }
}

/// Of so many elements in everyone's source, into everyone's target.
template <class T>
Status reduce(ActiveSets& sets, const ActiveSet& set, Reduction reduction, elan3::Address target,
              elan3::Address source, std::uint32_t count, const Sync& sync) {
    static_assert(elan::block_size % sizeof(T) == 0);
    const auto merge = [reduction](std::span<std::byte> into, std::span<const std::byte> from) {
        for (std::size_t i = 0; i < into.size(); i += sizeof(T)) {
            T a{};
            T b{};
            std::memcpy(&a, &into[i], sizeof a);
            std::memcpy(&b, &from[i], sizeof b);
            a = reduced(reduction, a, b);
            std::memcpy(&into[i], &a, sizeof a);
        }
    };
    return sets.reduce(set, target, source, count * static_cast<std::uint32_t>(sizeof(T)), sync,
                       merge);
}

}  // namespace railyard::elanlib
