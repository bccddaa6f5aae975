#pragma once
/// The loops of the predefined operations, one for each kind of element.

#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// The kernels of an operation, by Basic; null where MPI defines none. Replace, no_op and the
/// user's have none at all: they calculate nothing, or nothing that is known here.
const Kernel* kernels_of(Operation::Kind kind);

}  // namespace railyard::mpi
