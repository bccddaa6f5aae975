#pragma once
/// MPI_IN_PLACE: passed in place of a buffer whose data are, or shall be, in the call's other one.

#include <cstdint>

#include "mpi/types/buffer.hpp"

namespace railyard::mpi {

/// The address is that of MPI_IN_PLACE in the ABI, and of nothing else.
inline Buffer in_place() {
    return {reinterpret_cast<void*>(~std::uintptr_t{0}), 0, nullptr};
}

inline bool is_in_place(const ConstBuffer& buffer) {
    return buffer.address == in_place().address;
}

}  // namespace railyard::mpi
