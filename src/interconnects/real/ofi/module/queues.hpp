#pragma once
/// The classes of this fabric that stand behind what real fabrics share, and what waits in its
/// queues: posted receives, requests that are not yet complete, and requests of the peer's.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/real/common/queues.hpp"
#include "interconnects/real/common/shape.hpp"
#include "interconnects/real/ofi/module/buffers.hpp"
#include "interconnects/real/ofi/module/region.hpp"
#include "interconnects/real/ofi/module/wire.hpp"
#include "railyard/base/status.hpp"
#include "railyard/work.hpp"

namespace railyard::ofi {

class QueuePair;

inline constexpr std::uint32_t max_slices = 16;
inline constexpr std::size_t max_inline = 256;

inline bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
    return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

struct PostedReceive {
    static constexpr std::uint32_t max_slices = ofi::max_slices;
    static constexpr std::uint32_t made_at_first = 4;

    std::uint64_t id = 0;
    std::uint64_t capacity = 0;
    std::uint32_t count = 0;
    std::array<Piece, max_slices> pieces;

    void set(std::span<const fabric::Slice> local) {
        count = 0;
        for (const fabric::Slice& slice : local)
            if (slice.length > Bytes()) pieces[count++] = piece_of(slice);
    }
    std::span<const Piece> list() const { return {pieces.data(), count}; }
};

struct Parts {
    using Nic = ofi::Nic;
    using QueuePair = ofi::QueuePair;
    using PostedReceive = ofi::PostedReceive;
    using LocalRegion = ofi::LocalRegion;
    using ImportedRegion = ofi::ImportedRegion;
};

/// A request that was posted and is not yet complete.
struct Request {
    Request* next = nullptr;
    std::uint64_t id = 0;
    fabric::Op op = fabric::Op::send;
    fabric::Flags flags = fabric::Flags::none;
    Code fault = Code::ok;  ///< found when it was posted; told when its turn comes
    bool with_immediate = false;
    bool invalidates = false;
    bool issued = false;
    bool sent = false;          ///< its memory is not needed to send it any more
    bool answered = false;      ///< reads and atomics
    bool announced = false;     ///< a direct one, to the peer
    bool is_long = false;       ///< its data find no room in a message
    bool direct = false;        ///< a large write that needs no help of the peer
    std::uint32_t pushes = 0;   ///< of a direct one: operations under way
    std::uint64_t pushed = 0;   ///< bytes of it that are on their way or further
    std::uint64_t key = 0;      ///< by which it may be direct; 0: it may not
    std::uint64_t address = 0;  ///< the peer's, of the first byte
    std::uint32_t immediate = 0;
    std::uint64_t region = 0;  ///< the peer's: where to, or what ends
    std::uint64_t offset = 0;
    Operands operands;
    std::uint64_t length = 0;
    std::uint64_t number = 0;  ///< of its queue pair, from 1
    std::uint32_t count = 0;
    std::array<Piece, max_slices> pieces;
    std::array<std::byte, max_inline> bytes;

    std::span<const Piece> list() const { return {pieces.data(), count}; }
    bool is_read() const { return op == fabric::Op::rdma_read; }
    bool awaits_answer() const { return is_read() || real::is_atomic(op); }
    bool is_bulk() const { return is_long && !direct; }
    /// Done when the peer says so.
    bool is_told() const {
        return !awaits_answer() && (is_bulk() || has(flags, fabric::Flags::remote_completion));
    }
    /// Whether somebody still reads or writes its memory.
    bool needs_memory() const {
        if (awaits_answer()) return issued && !answered;
        if (direct) return pushes > 0;
        return issued && (!sent || is_bulk());
    }
    bool names(std::span<const std::byte> memory) const {
        return std::ranges::any_of(list(), [&](const Piece& piece) {
            return overlap({piece.data, piece.length}, memory);
        });
    }
    bool uses(const LocalRegion& region_of_ours) const {
        return std::ranges::any_of(
            list(), [&](const Piece& piece) { return piece.region == region_of_ours.number(); });
    }
};

/// A request of the peer's that waits for its turn, for a receive or for its data.
struct Inbound {
    Header header;
    Operation* buffer = nullptr;  ///< with what is behind the Header
    Code fault = Code::ok;        ///< to be told when its turn comes
    bool started = false;         ///< all bulk data are on their way
    bool has_receive = false;
    std::uint32_t under_way = 0;  ///< operations
    std::uint64_t moved = 0;      ///< bytes that are on their way or further
    PostedReceive receive;

    std::span<const std::byte> data() const {
        return {buffer->data + sizeof(Header), buffer->length - sizeof(Header)};
    }
    bool is_bulk() const { return (header.flags & flag::bulk) != 0; }
    bool is_direct() const {
        return header.kind == Kind::write && (header.flags & flag::direct) != 0;
    }
    bool needs_receive() const {
        return header.kind == Kind::send ||
               (header.kind == Kind::write && (header.flags & flag::immediate) != 0);
    }
};

/// Where a Nic keeps those of all its queue pairs: one that has nothing to do holds none, and a
/// busy one allocates nothing.
template <class Kept>
class Pool {
  public:
    /// One whose fields hold whatever they held.
    Kept& take() {
        if (free_.empty()) grow();
        Kept& kept = *free_.back();
        free_.pop_back();
        return kept;
    }
    void give_back(Kept& kept) { free_.push_back(&kept); }

  private:
    static constexpr std::size_t at_once = 16;
    void grow() {
        blocks_.push_back(std::unique_ptr<Kept[]>(new Kept[at_once]));
        for (std::size_t i = 0; i < at_once; ++i)
            free_.push_back(&blocks_.back()[i]);
    }
    std::vector<std::unique_ptr<Kept[]>> blocks_;
    std::vector<Kept*> free_;
};

}  // namespace railyard::ofi
