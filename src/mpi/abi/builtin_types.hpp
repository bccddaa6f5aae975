#pragma once
/// The handles of predefined datatypes. The lowest byte of a handle is its place in the table;
/// pairs of mixed types, whose handles are of another series, follow behind.

#include <cstddef>
#include <cstdint>

#include "mpi/types/basic.hpp"

namespace railyard::mpi::abi {

struct BuiltinType {
    std::uint32_t handle = 0;
    Basic basic = Basic::none;
};

inline constexpr std::size_t first_pair = 0x47;
inline constexpr std::size_t builtin_type_count = first_pair + 5;

/// `builtin_type_count` of them; none where the ABI has a gap.
const BuiltinType* builtin_types();

/// The place in the table that a handle would have; beyond the table for none of ours.
constexpr std::size_t builtin_index(std::uint32_t handle) {
    if ((handle & 0xff000000) == 0x4c000000) [[likely]]
        return handle & 0xff;
    if ((handle & 0xff000000) == 0x8c000000 && (handle & 0xffffff) < 5)
        return first_pair + (handle & 0xffffff);
    return builtin_type_count;
}

/// The handle of a predefined type.
int handle_of(Basic basic);

}  // namespace railyard::mpi::abi
