#pragma once
/// What the arguments of each function are, from the table that entry points come from.

#include <cstdint>
#include <span>
#include <string_view>

#include "mpi/calls/call.hpp"

namespace railyard::mpi::calls {

/// As the table of the interface (mpi/abi/interface.txt) has them, with plain C types told apart
/// where that says something.
enum class Kind : std::uint8_t {
    comm,
    win,
    group,
    type,
    op,
    info,
    session,
    errhandler,
    count,   ///< of elements
    number,  ///< any other integer
    dest,    ///< a rank of the communicator, or MPI_PROC_NULL
    source,  ///< the same, or MPI_ANY_SOURCE
    target,  ///< a rank of the window's group
    root,
    tag,          ///< or MPI_ANY_TAG
    in,           ///< where data are read
    out,          ///< where data are written, or both read and written
    status,       ///< the place for one, or MPI_STATUS_IGNORE
    request,      ///< a handle
    request_at,   ///< the place of one: new, or to be completed, started or freed
    requests,     ///< the place of several; the count stands before them
    comm_at,      ///< the place of a communicator: a new one, or one to be freed
    message_at,   ///< the place of a message that a matched probe took
    types,        ///< an array, an element for each peer
    counts,       ///< the same, of int
    wide_counts,  ///< the same, of MPI_Count
    array,        ///< any other
    result,       ///< where an answer goes
    address,      ///< any other
};

struct Parameter {
    Kind kind;
    std::string_view name;
};

/// Of a function, in order: what CallWatch::entered has as arguments.
std::span<const Parameter> parameters(Function function);

/// The parts of the interface: what sort of call it is.
enum class Chapter : std::uint8_t {
#define RAILYARD_MPI_CHAPTER(name) name,
#define RAILYARD_MPI_SIGNATURE(function, chapter, count)
#define RAILYARD_MPI_PARAMETER(kind, name)
#include <mpi_parameters.inc>
#undef RAILYARD_MPI_CHAPTER
#undef RAILYARD_MPI_SIGNATURE
#undef RAILYARD_MPI_PARAMETER
};
Chapter chapter(Function function);

}  // namespace railyard::mpi::calls
