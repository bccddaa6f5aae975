#pragma once
/// What a call is about, read from its raw arguments: with whom, which tag, how much. For those who
/// watch calls and want no signatures of their own.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mpi/calls/call.hpp"

namespace railyard::mpi::calls {

/// What handles stand for. Whoever has the objects implements it; handles may be wrong ones.
class HandleResolver {
  public:
    virtual ~HandleResolver() = default;

    struct CommFacts {
        std::uint32_t context = 0;
        int rank = 0;   ///< the calling one's
        int peers = 0;  ///< ranks that messages go to
    };
    struct Neighbours {
        int in = 0;
        int out = 0;
    };
    virtual std::optional<CommFacts> comm(int handle) const = 0;
    /// The communicator of a window's ranks.
    virtual std::optional<CommFacts> window(int handle) const = 0;
    /// The rank in the job; what is no rank (MPI_PROC_NULL, MPI_ANY_SOURCE) stays as it is.
    virtual int world_rank(int comm, int rank) const = 0;
    virtual int world_rank_in_window(int window, int rank) const = 0;
    /// How many the communicator's topology gives the calling rank.
    virtual Neighbours neighbours(int comm) const = 0;
    /// Bytes of an element; 0 for a handle of none.
    virtual std::size_t type_size(int handle) const = 0;
};

/// What is not there: no rank, no tag, no handle. No number of the interface is the same.
inline constexpr int absent = INT32_MIN;

/// One direction of a call's data.
struct Side {
    int peer = absent;  ///< rank in the job, MPI_PROC_NULL or MPI_ANY_SOURCE
    int tag = absent;
    std::int64_t count = 0;  ///< of elements; of a collective with counts by rank, of all together
    int type = absent;       ///< a handle
    std::uint64_t bytes = 0;
    const void* data = nullptr;
};

struct CallFacts {
    int comm = absent;  ///< a handle
    int window = absent;
    std::uint32_t context = 0;  ///< of the communicator; users' messages travel in it
    int root = absent;          ///< rank in the job
    int op = absent;            ///< a handle
    Side send;  ///< also what a put, an accumulate or the root of a collective gives
    Side receive;
    /// The places of all request handles that the call takes or makes. Valid during the call.
    std::span<int> requests;
    const int* new_comm = nullptr;  ///< where the call puts or finds one

    std::uint64_t bytes() const { return send.bytes > receive.bytes ? send.bytes : receive.bytes; }
};

/// `arguments` as CallWatch::entered has them. Costs some ten nanoseconds; arrays of counts are
/// added up.
CallFacts facts_of(Function function, std::span<const Word> arguments,
                   const HandleResolver& resolver);

}  // namespace railyard::mpi::calls
