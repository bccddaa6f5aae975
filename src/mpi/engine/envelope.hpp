#pragma once
/// What MPI says of a message: the envelope that it is matched by, and the status that a receive or
/// a probe reports.

#include <cstddef>
#include <cstdint>

#include "mpi/types/error.hpp"

namespace railyard::mpi {

// Ranks and tags that mean no rank and no tag. Other ABIs may have other values, and translate.
inline constexpr int no_rank = -1;  ///< MPI_PROC_NULL: nothing is sent or received
inline constexpr int any_source = -2;
inline constexpr int any_tag = -1;
inline constexpr int max_tag = 0x3fffffff;

enum class Mode : std::uint8_t { standard, synchronous, ready, buffered };

/// What a message and a receive must agree in.
struct Envelope {
    std::uint32_t context = 0;
    std::int32_t source = 0;  ///< rank in the communicator, or any_source
    std::int32_t tag = 0;     ///< or any_tag
    friend bool operator==(const Envelope&, const Envelope&) = default;
};

/// Whether a receive that wants this takes that message.
inline bool matches(const Envelope& wanted, const Envelope& message) {
    return wanted.context == message.context &&
           (wanted.source == any_source || wanted.source == message.source) &&
           (wanted.tag == any_tag || wanted.tag == message.tag);
}

struct Status {
    int source = any_source;
    int tag = any_tag;
    ErrorClass error = ErrorClass::success;
    bool cancelled = false;
    std::size_t bytes = 0;
};

}  // namespace railyard::mpi
