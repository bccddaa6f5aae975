#pragma once
/// What ranks of a window say to each other: packets, which are messages in the window's own
/// context, and the data of large operations, which are messages of their own. All that a rank says
/// to another arrives in order.

#include <array>
#include <cstddef>
#include <cstdint>

#include "mpi/types/basic.hpp"
#include "mpi/types/operation.hpp"
#include "mpi/windows/runs.hpp"

namespace railyard::mpi {

enum class RmaKind : std::uint8_t {
    put,             ///< runs of bytes, each followed by its data
    bulk_put,        ///< one run; the data come as a message of their own
    get,             ///< runs; the data go back as one message
    accumulate,      ///< runs of elements, each followed by its data
    get_accumulate,  ///< the same, and what was there before goes back as one message
    compare_swap,    ///< a run of one element, what it is compared with, the new value
    flush,           ///< to be acknowledged when all that came before it is done
    ack,             ///< that; `error` says what went wrong at the target, if anything
    lock,            ///< to be granted when it can be; `lock` says which
    grant,
    unlock,    ///< when all that came before it is done; acknowledged if the token is not 0
    post,      ///< the sender's window is exposed to the receiver
    complete,  ///< the sender has ended its epoch: all that it did came before
};

struct RmaHeader {
    RmaKind kind = RmaKind::flush;
    std::uint8_t detail = 0;  ///< the operation, the lock, or the error
    Basic basic = Basic::none;
    std::uint8_t ends_visit = 0;  ///< not 0: the last packet of an operation that is a visit
    std::uint32_t token = 0;      ///< names the message that goes with it, or comes back
};
static_assert(sizeof(RmaHeader) == 8);

/// A put of eight bytes fits into a cell of the engine's rings.
inline constexpr std::size_t rma_packet_size = 4096;
inline constexpr std::size_t rma_packet_room = rma_packet_size - sizeof(RmaHeader);
/// What one packet can carry of one run.
inline constexpr std::size_t rma_inline_limit = rma_packet_room - sizeof(Run);

/// All messages of a window are bytes.
inline const Datatype& byte_type() {
    return *predefined(Basic::byte);
}

// Tags. Between two ranks, data may be under way in both directions, each with its own tokens.

inline constexpr int rma_packet_tag = 0;
inline constexpr std::uint32_t rma_tokens = 1u << 28;
inline int rma_data_tag(std::uint32_t token) {
    return static_cast<int>(2 * token + 2);
}
inline int rma_reply_tag(std::uint32_t token) {
    return static_cast<int>(2 * token + 3);
}

}  // namespace railyard::mpi
