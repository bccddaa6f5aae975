#pragma once
/// What a rank's library holds, for those who measure it.

#include <cstdint>

namespace railyard::mpi::abi {

/// What the calling rank's library has made of its connections so far.
struct Usage {
    std::uint64_t queue_pairs = 0;  ///< open
    std::uint64_t connections = 0;  ///< made, by either side's asking
    std::uint64_t used = 0;         ///< of the connections: those that carried a message
    std::uint64_t bytes = 0;        ///< held for peers: rings, buffers
};

/// Between MPI_Init and MPI_Finalize.
Usage usage();

}  // namespace railyard::mpi::abi
