#pragma once
/// What a queue is asked to do, and what it says when it is done.

#include <cstdint>
#include <span>
#include <string_view>

#include "railyard/base/status.hpp"
#include "railyard/memory.hpp"
#include "railyard/parcel.hpp"

namespace railyard::fabric {

class QueuePair;

enum class Op : std::uint8_t {
    send,            ///< into the peer's next posted receive
    rdma_write,      ///< into the peer's region; the peer takes no part
    rdma_write_imm,  ///< the same, and it consumes a receive, which carries the immediate value
    rdma_read,       ///< from the peer's region into the local slices
    fetch_add,       ///< on eight aligned bytes of the peer's region; the old value comes back
    compare_swap,    ///< likewise
    receive,         ///< only in completions
};
std::string_view name(Op op);

/// How a request is carried out. Combine with |.
enum class Flags : std::uint8_t {
    none = 0,
    inlined = 1,             ///< data come from `bytes`, copied before post() returns
    unsignalled = 2,         ///< no completion if all goes well
    fence = 4,               ///< start only when earlier reads and atomics of this queue are done
    solicited = 8,           ///< wakes a peer that asked to be woken by solicited arrivals only
    remote_completion = 16,  ///< complete when done at the peer, not when the buffer is free again
};
constexpr Flags operator|(Flags a, Flags b) {
    return static_cast<Flags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(Flags set, Flags flag) {
    return (static_cast<unsigned>(set) & static_cast<unsigned>(flag)) != 0;
}

/// One request to a queue pair. The memory named by the slices belongs to the fabric from post()
/// until the completion; the lists themselves (`local`, `bytes`) only until post() returns.
struct WorkRequest {
    std::uint64_t id = 0;  ///< yours; comes back in the completion
    Op op = Op::send;
    Flags flags = Flags::none;
    std::uint32_t immediate = 0;  ///< rdma_write_imm; with `with_immediate` also send
    bool with_immediate = false;
    std::span<const Slice> local{};      ///< gathered from, or scattered into (read, atomics)
    std::span<const std::byte> bytes{};  ///< instead of `local`, with Flags::inlined
    /// So many of the first bytes have to come; of the rest, only the time matters. A virtual
    /// fabric may spare itself their copy.
    Bytes content{~std::uint64_t{0}};
    RemoteSlice remote{};       ///< RDMA and atomics
    std::uint64_t operand = 0;  ///< fetch_add: the addend; compare_swap: the value expected
    std::uint64_t swap = 0;     ///< compare_swap: the new value
    const RemoteRegion* invalidate = nullptr;  ///< send: a region of the peer's that ends with it
    /// The bytes of `local`, where that is but addresses (Nic::reserve_addresses), all of them.
    /// Goes to the fabric if post() takes the request, and else stays yours.
    Parcel* parcel = nullptr;
};

/// One receive. Slices and ownership as in WorkRequest.
struct ReceiveRequest {
    std::uint64_t id = 0;
    std::span<const Slice> local{};
};

struct Completion {
    std::uint64_t id = 0;
    Status status;
    Op op = Op::send;
    bool has_immediate = false;
    std::uint32_t immediate = 0;
    Bytes length;  ///< receive: bytes that came; reads: bytes read
    QueuePair* queue_pair = nullptr;
    const Region* invalidated = nullptr;  ///< receive: the own region that the send invalidated
};

}  // namespace railyard::fabric
