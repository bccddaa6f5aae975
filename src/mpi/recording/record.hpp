#pragma once
/// What one rank did, as it is written down while it runs: records of one size, one after the
/// other, in memory that whoever started the rank can read even if it crashes.

#include <cstdint>
#include <type_traits>

#include "mpi/calls/facts.hpp"
#include "mpi/engine/counters.hpp"

namespace railyard::mpi::recording {

enum class What : std::uint8_t {
    nothing,  ///< memory that was not written: the end
    call,
    send,        ///< of a user's message; it belongs to the call before it
    receive,     ///< likewise, written down when it is complete
    connection,  ///< how long one was being made
    cancelled,   ///< was a send
};

struct Record {
    /// In ticks, or in picoseconds of virtual time, from first_virtual on. Of a send: its call's;
    /// of a receive: of the call that posted it.
    std::uint64_t begin = 0;
    /// 0: a call is not over; a send was complete at once; a receive with its thread's last call.
    std::uint64_t end = 0;
    /// Of a message, or what a call is about. Of one that polls: how many followed it at once.
    std::uint64_t bytes = 0;
    std::int32_t peer = calls::absent;  ///< rank in the job: of a call its partner or root
    std::int32_t tag = calls::absent;   ///< of a call that is a collective: see Chosen
    /// Of a receive: how many were posted before. Of a call: its communicator_number(). Of a send:
    /// if not 0, it was complete by the end of the call of that number, the first being 1.
    std::uint32_t number = 0;
    std::uint16_t detail = 0;  ///< of a call: the function; of a message: its context
    What what = What::nothing;
    std::uint8_t thread = 0;  ///< by the order in which threads first called
};
static_assert(sizeof(Record) == 40 && std::is_trivially_copyable_v<Record>);

/// What virtual time begins with in records, where 0 means that there is no time.
inline constexpr std::uint64_t first_virtual = 1;

/// Ranks of one communicator have the same; no two communicators have at one time.
constexpr std::uint32_t communicator_number(std::uint32_t context, int leader) {
    return (context & 0xffff) | static_cast<std::uint32_t>(leader) << 16;
}

/// Functions that programs call again and again until there is something: calls in a row, with less
/// than a microsecond between them, are one record.
constexpr bool is_poll(calls::Function function) {
    using calls::Function;
    switch (function) {
        case Function::Test:
        case Function::Testall:
        case Function::Testany:
        case Function::Testsome:
        case Function::Iprobe:
        case Function::Improbe:
        case Function::Request_get_status:
            return true;
        default:
            return false;
    }
}

/// In a collective's tag: which one it is, and what carries it out.
namespace chosen {
inline constexpr std::int32_t mark = 1 << 24;
inline constexpr std::int32_t network = 0xff;
constexpr std::int32_t code(std::int32_t collective, std::int32_t algorithm) {
    return mark | collective << 8 | algorithm;
}
constexpr bool is_code(std::int32_t tag) {
    return tag != calls::absent && tag >= 0 && (tag & mark) != 0;
}
constexpr std::int32_t collective(std::int32_t code) {
    return code >> 8 & 0xff;
}
constexpr std::int32_t algorithm(std::int32_t code) {
    return code & 0xff;
}
}  // namespace chosen

/// One moment on several clocks.
struct ClockReading {
    std::uint64_t ticks = 0;
    std::int64_t monotonic = 0;  ///< nanoseconds; the same clock for all of a host
    std::int64_t wall = 0;       ///< nanoseconds of the calendar, for hosts' first guess
};

/// Messages of the library's own, to one peer: those of collectives and windows.
struct PeerTraffic {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

/// First in the memory of a rank; its PeerTraffic follow, one for each rank of the job, then its
/// records. The launcher makes it, the rank fills it in.
struct Header {
    std::uint64_t used = 0;  ///< bytes from the start, of which the last may be zeros
    std::uint64_t magic = 0;
    std::uint64_t until = 0;  ///< nanoseconds after MPI_Init at which to stop; 0: never
    std::int32_t rank = -1;
    std::int32_t ranks = 0;
    std::int32_t node = 0;
    std::uint8_t is_full = 0;     ///< there was more than there is memory for
    std::uint8_t is_stopped = 0;  ///< by `until`
    std::uint8_t has_ended = 0;   ///< MPI_Finalize was called
    ClockReading first;           ///< when the rank entered MPI_Init
    ClockReading last;            ///< now and then, and at the end
    Counters counters;            ///< at the end

    static constexpr std::uint64_t right_magic = 0x3130'6472'6f63'6572;  // "record01"
};
static_assert(std::is_trivially_copyable_v<Header>);

}  // namespace railyard::mpi::recording
