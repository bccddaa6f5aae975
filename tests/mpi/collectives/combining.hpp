#pragma once
/// Operations on elements of two 64-bit integers, and what combining ranks' data in order gives.

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "mpi/collectives/area.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

struct Two {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    bool operator==(const Two&) const = default;
};

/// x -> a x + b, the right one applied first: the order matters, the grouping does not.
inline Two compose(const Two& left, const Two& right) {
    return {left.a * right.a, left.a * right.b + left.b};
}
inline Two add(const Two& left, const Two& right) {
    return {left.a + right.a, left.b + right.b};
}

using Rule = std::function<Two(const Two&, const Two&)>;

/// A user's operation by that rule, on elements of any layout.
inline Operation user_operation(const Rule& rule, bool commutative) {
    const auto function = [rule](const void* in, void* inout, std::size_t count,
                                 const Datatype& type) {
        for (std::size_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::ptrdiff_t>(i) * type.extent();
            Two left;
            Two right;
            type.pack(static_cast<const char*>(in) + at, 1, 0,
                      {reinterpret_cast<std::byte*>(&left), sizeof left});
            type.pack(static_cast<char*>(inout) + at, 1, 0,
                      {reinterpret_cast<std::byte*>(&right), sizeof right});
            const Two result = rule(left, right);
            type.unpack(static_cast<char*>(inout) + at, 1, 0,
                        {reinterpret_cast<const std::byte*>(&result), sizeof result});
        }
    };
    return Operation(function, commutative);
}

/// Ranks first … last - 1 combined, element by element; packed in and out.
inline Packed combined(const std::vector<Packed>& ranks, std::size_t first, std::size_t last,
                       const Rule& rule) {
    Packed total = ranks[first];
    for (std::size_t rank = first + 1; rank < last; ++rank)
        for (std::size_t at = 0; at < total.size(); at += sizeof(Two)) {
            Two left;
            Two right;
            std::memcpy(&left, total.data() + at, sizeof left);
            std::memcpy(&right, ranks[rank].data() + at, sizeof right);
            const Two result = rule(left, right);
            std::memcpy(total.data() + at, &result, sizeof result);
        }
    return total;
}

}  // namespace railyard::mpi
