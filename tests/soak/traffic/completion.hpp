#pragma once
/// The many ways to wait for requests.

#include <mpi.h>

#include <vector>

#include "traffic/lane.hpp"
#include "traffic/random.hpp"

namespace railyard::soak {

/// Completes all of them, some at a time, each group in a way of chance, and frees those that are
/// persistent. statuses[i] is that of requests[i].
void complete_all(std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses, Draw& draw,
                  Where& where);

}  // namespace railyard::soak
