#pragma once
/// What an accumulate does to the elements of a window: each as a whole, whoever else combines into
/// the same one at the same time.

#include <cstddef>
#include <cstdint>

#include "mpi/types/datatype.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// What keeps those apart who combine at a time.
struct Guard {
    std::uint32_t* word = nullptr;  ///< null: nobody else combines into the memory now
    /// For all elements: some reach the memory by the kernel alone, which has no atomic
    /// instructions for them.
    bool for_all = false;
};

/// Combines `count` elements of a predefined type with those at `target`, as they lie in memory.
/// `in` is packed (unused by MPI_NO_OP); what was there before goes to `old`, packed, unless that
/// is null.
///
/// One rule for all of a window: unless the guard is for all, an element of 1, 2, 4 or 8 bytes that
/// is aligned is combined by an atomic instruction, any other under the guard. MPI has all who
/// combine into an element at a time use the same type, so they use the same way.
///
/// Returns whether what it stored is seen by all already, before any later load: so it is where an
/// atomic instruction that stores is a full fence by itself, as on x86.
bool combine(const Operation& operation, const Datatype& basic, std::byte* target,
             std::size_t count, const std::byte* in, std::byte* old, Guard guard);

/// Puts `value` into one element if it equals `compare`. What was there before goes to `old`.
/// Returns what combine() does.
bool compare_swap(const Datatype& basic, std::byte* target, const std::byte* compare,
                  const std::byte* value, std::byte* old, Guard guard);

}  // namespace railyard::mpi
