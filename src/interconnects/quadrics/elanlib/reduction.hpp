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

template <class T>
requires std::is_arithmetic_v<T> T reduced(Reduction reduction, T a, T b) {
    switch (reduction) {
        case Reduction::min:
            return std::min(a, b);
        case Reduction::max:
            return std::max(a, b);
        case Reduction::sum:
            return static_cast<T>(a + b);
        case Reduction::prod:
            return static_cast<T>(a * b);
        default:
            break;
    }
    if constexpr (std::integral<T>) {
        if (reduction == Reduction::bit_and) return static_cast<T>(a & b);
        if (reduction == Reduction::bit_or) return static_cast<T>(a | b);
        return static_cast<T>(a ^ b);
    }
    throw UsageError(
        "and, or and xor are of whole numbers; floating-point ones have no bits to see");
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
