#pragma once
/// One end of a connection. Requests that can be carried out at once are, inside post(): small
/// messages, and anything into mapped memory. The rest wait in a queue, in order, and move on
/// whenever the Nic makes progress.
///
/// The class is spread over files by concern: queue_pair.cpp (life, queue, failure), messages.cpp
/// (messages out and in), remote_access.cpp (RDMA and atomics), connection.cpp (connecting).

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/cell_ring.hpp"
#include "interconnects/real/common/queue_pair.hpp"
#include "interconnects/real/common/queues.hpp"
#include "interconnects/real/shm/arena.hpp"
#include "interconnects/real/shm/copy.hpp"
#include "interconnects/real/shm/peer.hpp"

namespace railyard::shm {

class Nic;
class QueuePair;
class LocalRegion;
class ImportedRegion;

struct PostedReceive {
    static constexpr std::uint32_t max_slices = shm::max_slices;
    static constexpr std::uint32_t made_at_first = std::numeric_limits<std::uint32_t>::max();

    std::uint64_t id = 0;
    std::uint64_t capacity = 0;
    std::uint32_t count = 0;
    std::array<fabric::Slice, max_slices> slices;

    void set(std::span<const fabric::Slice> local) {
        count = static_cast<std::uint32_t>(local.size());
        std::copy(local.begin(), local.end(), slices.begin());
    }
    std::span<const fabric::Slice> local() const { return {slices.data(), count}; }
};

/// The classes of this fabric that stand behind what real fabrics share.
struct Parts {
    using Nic = shm::Nic;
    using QueuePair = shm::QueuePair;
    using PostedReceive = shm::PostedReceive;
    using LocalRegion = shm::LocalRegion;
    using ImportedRegion = shm::ImportedRegion;
};

struct RequestRef;

inline constexpr std::size_t max_inline = 256;

/// How far a request has come.
struct Transfer {
    std::uint64_t length = 0;     ///< of the message
    std::uint64_t moved = 0;      ///< bytes of it that have left, or come
    std::uint64_t last_cell = 0;  ///< when the peer has emptied so many cells, it is done there too
    std::uint64_t ticket = 0;     ///< of the reply that is awaited; 0: none
    Code status = Code::ok;
};
enum class Outcome : std::uint8_t {
    finished,  ///< done, well or badly: see Transfer::status
    blocked,   ///< no room, or an answer is awaited; carry on later
    issued,    ///< nothing left to do here, but the peer's part is awaited
};

/// A request that post() could not finish.
struct QueuedRequest {
    fabric::WorkRequest work;  ///< its spans point at the two arrays below
    Transfer transfer;
    Outcome outcome = Outcome::blocked;
    Time starved_since = Time::never();
    std::array<fabric::Slice, max_slices> slices;
    std::array<std::byte, max_inline> bytes;
};

class QueuePair final : public real::QueuePair<Parts> {
  public:
    QueuePair(Nic& nic, const fabric::QueuePairOptions& options);
    ~QueuePair() override;

    Status connect(const fabric::Address& to, fabric::Service service,
                   const fabric::PrivateData& data, Time deadline) override;
    Status accept(fabric::ConnectionRequest& request, const fabric::PrivateData& data) override;
    Status connect_peer(const fabric::Address& to, fabric::Discriminator discriminator,
                        const fabric::PrivateData& data, Time deadline) override;
    void close() override;
    Posted post(std::span<const fabric::WorkRequest> requests) override;
    using fabric::QueuePair::post;
    Status write_now(const fabric::RemoteSlice& to, std::span<const std::byte> bytes) override;
    Status read_now(std::span<std::byte> into, const fabric::RemoteSlice& from) override;
    void nudge() override {
        if (peer_) peer_->wake();
    }

    // For the Nic.

    /// Reads what has come in. True if there was anything.
    bool drain();
    bool has_inbound() { return inlet_.front() != nullptr; }
    /// Moves queued requests on. True if any moved.
    bool advance();
    bool has_queued() const { return count_ != 0; }
    /// Looks whether the connection came about.
    bool advance_connection();
    /// Gives up connecting if it is too late. True if it did.
    bool expire(Time now);
    /// Looks whether the peer has closed, failed or died.
    bool check_peer();
    /// When advance() is due even if nothing arrives.
    Time next_timer() const;
    Time deadline() const { return deadline_; }
    void update_wake_rule();
    /// Whether the peer is copying to or from that region of ours at this moment.
    bool peer_is_inside(std::uint32_t region_index) const;
    /// Gives back the chunks that the peer has read.
    void reclaim_chunks();

    // For the receive queue.

    /// A receive has been posted: hand it what waits.
    void receive_posted();

    std::uint32_t block_index() const { return block_index_; }
    const std::shared_ptr<Peer>& peer() const { return peer_; }
    bool waits_for(const SharedMemory::Handle& from, fabric::Discriminator discriminator) const;
    /// A peer asks for what this queue pair asks for too: one of the two requests must give way.
    void meet(const RequestRef& theirs);

  private:
    static constexpr unsigned look_ahead = 8;  ///< cells that are looked at together

    // queue_pair.cpp
    bool enqueue(const fabric::WorkRequest& work, const Transfer& transfer, Outcome outcome);
    void retire();
    [[gnu::always_inline]] Outcome execute(const fabric::WorkRequest& work, Transfer& transfer);
    void complete(const fabric::WorkRequest& work, Code status, std::uint64_t length);
    /// The queue pair is over for the reason `code`. `oldest` goes to the oldest request that still
    /// waits, all others are flushed; the peer is told `told`.
    void fail(Code code, Code oldest, Code told);
    void flush_queued(Code oldest);
    void detach(Code told);
    QueuedRequest& queued(std::uint32_t i) { return queue_[(first_ + i) % queue_.size()]; }
    bool starved_too_long(QueuedRequest& request);

    // messages.cpp
    Outcome send(const fabric::WorkRequest& work, Transfer& transfer);
    bool send_segment(const fabric::WorkRequest& work, Transfer& transfer);
    /// Shows the claimed cell, with so many bytes in the data ring.
    [[gnu::always_inline]] void publish(bool wakes, std::uint64_t bytes = 0) {
        outlet_.publish(bytes);
        peer_->arena().activity.raise(peer_block_index_);
        if (wakes || peer_block_->solicited_only.load(std::memory_order_relaxed) == 0)
            peer_->wake();
    }
    void fill_header(Cell& cell, const fabric::WorkRequest& work, const Transfer& transfer);

    bool consume(const Cell& cell);
    bool begin_message(const Cell& cell, std::uint64_t length);
    bool take_segment(const Cell& cell);
    bool take_notice(const Cell& cell);
    void end_message(const Cell& cell, const SegmentHeader& header);
    bool serve(const Cell& cell);
    void answer(std::uint64_t ticket, Code status, std::uint64_t value);
    void starve();

    // remote_access.cpp
    Outcome write(const fabric::WorkRequest& work, Transfer& transfer);
    Outcome read(const fabric::WorkRequest& work, Transfer& transfer);
    Outcome atomic(const fabric::WorkRequest& work, Transfer& transfer);
    Outcome put_segments(const fabric::WorkRequest& work, Transfer& transfer);
    Outcome get_pieces(const fabric::WorkRequest& work, Transfer& transfer);
    Code check(const fabric::RemoteSlice& remote, std::uint64_t length,
               fabric::Access wanted) const;
    template <class Mapped, class Unmapped>
    Code access_now(const fabric::RemoteSlice& remote, std::uint64_t length, fabric::Access wanted,
                    Mapped&& mapped, Unmapped&& unmapped);
    Code check_invalidate(const fabric::RemoteRegion& remote) const;
    static void name_invalidated(const fabric::RemoteRegion& remote, SegmentHeader& header);
    bool overtakes_puts();
    bool replied(const Transfer& transfer) const;
    bool ask(Kind kind, const fabric::WorkRequest& work, std::uint64_t skip, std::uint32_t length,
             Transfer& transfer);

    // connection.cpp
    Status request_connection(const SharedMemory::Handle& to, bool peer_to_peer,
                              std::uint64_t service, const fabric::PrivateData& data,
                              Time deadline);
    bool take_request(const RequestRef& theirs, const fabric::PrivateData& answer);
    void take_block();
    static RingMemory<Cell> ring_in(Block& block);
    void pop_data(std::uint64_t bytes);
    void link(std::shared_ptr<Peer> peer, std::uint32_t peer_block);
    void connection_failed(Code code);
    bool withdraw();

    // What the small-message path touches comes first.
    bool track_sends_;  ///< sends count as done only when received (a receiver may be too late)
    std::uint32_t count_ = 0;      ///< requests in queue_
    Block* block_ = nullptr;       ///< ours: what comes in
    Block* peer_block_ = nullptr;  ///< theirs: what goes out
    std::uint32_t peer_block_index_ = 0;
    const Arena* peer_arena_ = nullptr;
    std::uint64_t peer_inode_ = 0;
    std::shared_ptr<Peer> peer_;
    CellRingWriter<Cell> outlet_;
    CellRingReader<Cell, look_ahead> inlet_;

    std::vector<QueuedRequest> queue_;  ///< a ring, made when first needed
    std::uint32_t first_ = 0;
    std::uint32_t unissued_ = 0;  ///< requests before this one have been issued
    Duration receiver_not_ready_timeout_;

    /// A chunk of our pool that the peer may still read: until it has emptied `cell` cells.
    struct Lease {
        std::uint64_t cell;
        std::uint32_t chunk;
    };
    std::array<Lease, chunk_count> leases_;  ///< oldest first
    std::uint32_t lease_count_ = 0;

    /// The message that is coming in, in segments.
    struct Incoming {
        PostedReceive receive;
        std::uint64_t length = 0;
        std::uint64_t received = 0;
        bool active = false;
    };
    Incoming incoming_;
    std::uint64_t tickets_ = 0;
    std::uint64_t puts_end_ = 0;  ///< when the peer has emptied so many cells, our puts are placed
    bool starving_ = false;

    std::uint32_t block_index_ = 0;
    std::uint32_t peer_generation_ = 0;
    // While connecting.
    Time deadline_ = Time::never();
    SharedMemory::Handle asked_;
    std::uint64_t asked_service_ = 0;
    bool asked_as_peer_ = false;
    bool notice_pending_ = false;  ///< the peer's mailbox was full
    std::shared_ptr<Peer> asked_peer_;
};

}  // namespace railyard::shm
