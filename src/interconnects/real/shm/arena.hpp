#pragma once
/// The memory that a Nic shares with its peers: who it is, its regions, notices of connection
/// requests, the inbound side of each of its connections, and a pool of chunks for large messages.
/// Mapped by a peer when they first meet. Everything in it is zero at first, and pages that nobody
/// touches take no memory.
///
/// Whoever is named as writer writes; everybody else only reads, but for the fields marked both.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cell_ring.hpp"
#include "base/mailbox.hpp"
#include "base/shared_memory.hpp"
#include "railyard/base/cpu.hpp"
#include "railyard/base/status.hpp"
#include "railyard/connection.hpp"

namespace railyard::shm {

inline constexpr std::uint32_t cell_count = 64;
inline constexpr std::size_t cell_payload = 48;
inline constexpr std::size_t data_ring_size = 24 << 10;
inline constexpr std::size_t chunk_size = 32 << 10;
inline constexpr std::uint32_t chunk_count = 7;
inline constexpr std::uint32_t max_blocks = 4096;
/// Where files or the address space are limited, and a whole arena is too much.
inline constexpr std::uint32_t few_blocks = 256;
inline constexpr std::uint32_t max_regions = 1 << 16;

/// What a cell asks its reader to do. The data of a message lie in the cell itself, in the data
/// ring behind it, or in a chunk of the sender's pool.
enum class Kind : std::uint8_t {
    send,          ///< a message, or its first segment
    more,          ///< a further segment of the message under way
    write_notice,  ///< an RDMA write with immediate has been placed: complete a receive
    put,           ///< a segment of an RDMA write that the target must place itself
    get,           ///< copy a piece of a region into the asker's reply area
    fetch_add,     ///< carry out on a region, old value into the reply area
    compare_swap,
};
enum class Where : std::uint8_t { cell, ring, chunk };

/// One cache line of a ring, one message.
struct alignas(cache_line) Cell {
    std::uint32_t stamp;  ///< see base/cell_ring.hpp
    Kind kind;
    Where where;
    std::uint8_t marks;    ///< of the Mark values below
    std::uint8_t in_cell;  ///< bytes of payload in the cell
    std::uint32_t immediate;
    std::uint32_t length;  ///< bytes in the ring or chunk
    std::array<std::byte, cell_payload> payload;
};
static_assert(sizeof(Cell) == cache_line);

enum Mark : std::uint8_t {
    has_immediate = 1,
    solicited = 2,
    last = 4,         ///< the message ends with this cell
    invalidates = 8,  ///< the header names a region that ends with this message
};

/// Payload of the cells of `send` and `more` whose data lie elsewhere.
struct SegmentHeader {
    std::uint64_t message_length;
    std::uint32_t chunk;
    std::uint32_t invalidated_index;
    std::uint64_t invalidated_key;
};
/// Payload of put, get and the atomics.
struct RequestHeader {
    std::uint64_t key;
    std::uint64_t offset;
    std::uint32_t region;
    std::uint32_t length;
    std::uint64_t operand;
    std::uint64_t swap;
    std::uint64_t ticket;  ///< comes back in Reply::ticket
};
static_assert(sizeof(SegmentHeader) <= cell_payload && sizeof(RequestHeader) <= cell_payload);

/// A connection request and its answer, in the asker's block. The answerer claims it by moving the
/// state from `pending` to `answering`; the asker withdraws it by moving it to `withdrawn`. Only
/// one of the two can succeed. The state carries the block's generation, so that an answer to an
/// earlier request cannot meet a new one.
struct ConnectRequest {
    enum State : std::uint32_t { none, pending, answering, accepted, rejected, withdrawn };
    static constexpr std::uint32_t tagged(std::uint32_t generation, State state) {
        return generation << 4 | state;
    }
    static constexpr State untagged(std::uint32_t word) { return static_cast<State>(word & 15); }

    std::atomic<std::uint32_t> state;
    std::uint32_t answer_block;  ///< written by the answerer
    fabric::PrivateData question;
    fabric::PrivateData answer;  ///< written by the answerer
};

/// Where the target of a `get` or an atomic leaves what was asked for. Written by the peer.
struct Reply {
    static constexpr std::size_t capacity = 3072;
    std::atomic<std::uint64_t> ticket;  ///< of the request that is answered
    std::uint64_t value;
    std::uint32_t status;
    alignas(cache_line) std::array<std::byte, capacity> data;
};

/// The inbound side of one connection. Cells and data are written by the peer, the rest by the
/// owner.
struct Block {
    enum State : std::uint32_t { unused, in_use, closed };
    // Owner to peer: how far it has read. Changes with every message, so it has a line of its own.
    RingCounts emptied;
    // Owner to peer: what changes seldom and is looked at often.
    alignas(cache_line) std::atomic<std::uint32_t> state;
    std::atomic<std::uint32_t> failure;     ///< a Code: what the peer did to make the owner give up
    std::atomic<std::uint32_t> starving;    ///< a message waits because no receive is posted
    std::atomic<std::uint32_t> generation;  ///< tells the connections that used this block apart
    std::atomic<std::uint32_t> solicited_only;  ///< other messages need not wake the owner
    // Which region of the peer's the owner is copying to or from at this moment, plus one; 0:
    // none. A peer that deregisters a region waits for it (see RegionTable).
    alignas(cache_line) std::atomic<std::uint32_t> accessing;
    alignas(cache_line) ConnectRequest request;
    alignas(cache_line) Reply reply;  ///< both
    alignas(4096) std::array<Cell, cell_count> cells;
    std::array<std::byte, data_ring_size> data;
};
static_assert(sizeof(Block) == 32 << 10, "the budget of one peer");

/// A region as peers see it. The key carries a generation, so that a stale name is told from a
/// wrong one, and a bit that says whether the region is alive.
struct alignas(cache_line) RegionEntry {
    std::atomic<std::uint64_t> key;
    std::uint64_t address;  ///< in the owner's address space
    std::uint64_t size;
    std::uint32_t access;
};

/// Says: look at the request in that block of mine.
struct ConnectNotice {
    SharedMemory::Handle from;
    std::uint32_t block = 0;
    std::uint32_t generation = 0;
    bool peer_to_peer = false;
    std::uint64_t service = 0;  ///< or discriminator
};

/// Which connections have news, in groups: block b belongs to group b modulo their number. Peers
/// raise a flag after they have published; the owner lowers it before it looks. Raising is a plain
/// store, which nobody waits for; the owner, who comes seldom, pays for the atomicity.
class Activity {
  public:
    static constexpr std::uint32_t groups = 32;

    void raise(std::uint32_t block) {
        // Release: what was published before is seen by whoever sees the flag.
        flags_[block % groups].store(1, std::memory_order_release);
    }
    /// Four loads of one line, however many connections there are.
    bool any() const {
        std::uint64_t all = 0;
        for (std::size_t word = 0; word < groups / 8; ++word)
            all |= reinterpret_cast<const std::atomic<std::uint64_t>*>(flags_.data())[word].load(
                std::memory_order_relaxed);
        return all != 0;
    }
    /// Acquire: pairs with raise(). A flag raised after this is found next time.
    bool lower(std::uint32_t group) {
        return flags_[group].load(std::memory_order_relaxed) != 0 &&
               flags_[group].exchange(0, std::memory_order_acquire) != 0;
    }

  private:
    alignas(cache_line) std::array<std::atomic<std::uint8_t>, groups> flags_;
};

struct Arena {
    static constexpr std::uint64_t right_magic = 0x5241494c59415244;  // "RAILYARD"
    // Written once, before anybody else can see it.
    std::uint64_t magic;
    std::uint64_t own_address;  ///< where the owner has mapped it: to try process_vm_readv on
    SharedMemory::Handle bell;
    std::uint32_t asymmetric_fences;  ///< both sides must think alike
    std::atomic<std::uint32_t> closed;
    /// The owner failed to map the memory of somebody who asked: whoever still waits is refused.
    std::atomic<std::uint32_t> cannot_meet;

    Activity activity;
    Mailbox<ConnectNotice, 64> mailbox;

    alignas(4096) std::array<std::array<std::byte, chunk_size>, chunk_count> chunks;
    alignas(4096) std::array<RegionEntry, max_regions> regions;
    alignas(4096) std::array<Block, max_blocks> blocks;  ///< the last ones may not be there

    static std::size_t size_for(std::uint32_t blocks) {
        return sizeof(Arena) - (max_blocks - blocks) * sizeof(Block);
    }
};

inline Arena& arena_in(const SharedMemory& memory) {
    return *reinterpret_cast<Arena*>(memory.data());
}

}  // namespace railyard::shm
