#pragma once
/// How far the flow is from rest and from the exact solution: what LU, SP and BT are verified by.

#include <mpi.h>

#include <span>

#include "kernels/cfd/constants.hpp"

namespace railyard::kernels {
class Verification;
}

namespace railyard::kernels::cfd {

struct Flow;

/// Root mean squares over all points inside, by component.
struct Norms {
    Five residual{};
    Five error{};
};

/// Of the flows of all ranks; b holds dt R(U).
Norms norms(std::span<const Flow> flows, MPI_Comm comm);

void compare(Verification& verification, const Norms& got, const Norms& reference);

}  // namespace railyard::kernels::cfd
