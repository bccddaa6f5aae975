#pragma once
/// Attributes as Fortran has them: integers, where C has pointers.

#include <cstdint>
#include <optional>

#include "mpi/abi/state.hpp"

namespace railyard::mpi::abi {

/// Of the communicator, datatype or window that `object` is the handle of.
void set_attribute(State& state, KeyvalEntry::Of of, int object, int keyval, AttributeValue value);

/// The value itself, also of an attribute that MPI sets; none: there is no such attribute.
std::optional<std::intptr_t> attribute_value(State& state, KeyvalEntry::Of of, int object,
                                             int keyval);

}  // namespace railyard::mpi::abi
