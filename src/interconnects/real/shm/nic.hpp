#pragma once
/// One rank's opening of shared memory: its arena, its peers, and the round of things to look after
/// whenever somebody polls.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "interconnects/real/common/nic.hpp"
#include "interconnects/real/shm/arena.hpp"
#include "interconnects/real/shm/connection.hpp"
#include "interconnects/real/shm/peer.hpp"
#include "interconnects/real/shm/queue_pair.hpp"
#include "interconnects/real/shm/region.hpp"

namespace railyard::shm {

class Nic final : public real::Nic<Parts> {
  public:
    Nic(hosts::RealHost& host, const fabric::Traits& traits);
    ~Nic() override;

    bool make_progress() override;
    bool tick(Time now) override;
    Time next_timer() const override;

    void wake(const fabric::Address& peer) override;

    // For what real fabrics share.

    static real::NoGuard guard() { return {}; }
    void progress_once() { make_progress(); }
    /// Tells peers for what they need not wake us.
    void wake_rule_changed();
    ConnectionRequests& connection_requests() { return connection_requests_; }

    // For the parts of this fabric.

    Arena& arena() const { return *arena_; }
    const SharedMemory::Handle& handle() const { return memory_.handle(); }
    RegionTable& regions() { return regions_; }
    /// The peer with that arena, met before or now. Throws Error when it is gone.
    std::shared_ptr<Peer> meet(const SharedMemory::Handle& handle);

    /// A block of the arena for a queue pair that begins to connect. Throws Error when all are
    /// taken.
    std::uint32_t take_block(QueuePair& queue_pair);
    /// Gives it back at once: nobody else has seen it.
    void free_block(std::uint32_t index);
    /// Gives it, and chunks lent out with it, back once the peer cannot touch them any more.
    struct Lingering {
        std::uint32_t block;
        std::shared_ptr<Peer> peer;
        const Block* peer_block;
        std::uint32_t peer_generation;
        std::vector<std::uint32_t> chunks;
    };
    void linger(Lingering lingering);

    std::optional<std::uint32_t> take_chunk();
    void return_chunk(std::uint32_t chunk) { free_chunks_.push_back(chunk); }

    void set_busy(QueuePair& queue_pair) { busy_.push_back(&queue_pair); }
    /// The queue pair is detached from its block: no longer looked after.
    void forget(QueuePair& queue_pair);

  private:
    bool serve_activity();
    bool advance_busy();
    bool advance_connecting();
    bool check_peers();
    void reclaim_lingering();
    void wait_for_access(std::uint32_t region);

    std::uint32_t most_blocks_;
    SharedMemory memory_;
    Arena* arena_;
    ReachPolicy reach_policy_;
    QueuePair* hot_ = nullptr;  ///< the one that last received: looked at first
    unsigned hot_hits_ = 0;
    std::uint32_t notices_seen_ = 0;
    std::vector<QueuePair*> by_block_;
    std::vector<QueuePair*> busy_;
    RegionTable regions_;
    ConnectionRequests connection_requests_;
    std::map<std::uint64_t, std::weak_ptr<Peer>> peers_;
    std::map<std::uint64_t, std::shared_ptr<Peer>> woken_;  ///< kept for the next time
    std::vector<std::uint32_t> free_blocks_;
    std::vector<std::uint32_t> free_chunks_;
    std::vector<Lingering> lingering_;
    Time next_check_;
};

}  // namespace railyard::shm
