#pragma once
/// What ranks bring to a window, and where operations on it go.

#include <cstddef>

#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

/// How a window was made. The numbers are those of MPI_WIN_CREATE_FLAVOR.
enum class Flavor : int { create = 1, allocate = 2, dynamic = 3, shared = 4 };

/// What one rank gives to a window. All give the same flavor.
struct WindowPlan {
    Flavor flavor = Flavor::create;
    void* base = nullptr;  ///< of Flavor::create
    std::size_t size = 0;
    int unit = 1;               ///< bytes that a displacement counts
    bool is_contiguous = true;  ///< of Flavor::shared: rank after rank, as one array
};

/// Where an operation goes: elements of a type at a displacement of a rank's memory.
struct TargetBuffer {
    int rank = 0;
    std::ptrdiff_t displacement = 0;
    std::size_t count = 0;
    const Datatype* type = nullptr;  ///< outlives the call

    std::size_t bytes() const { return count * type->size(); }
};

}  // namespace railyard::mpi
