#pragma once
/// Makes channels: on demand, at the first message to a peer, or from it where receives connect, or
/// when a peer asks (OD-1); or all at the start, as the policy says. Connections are made peer to
/// peer, so that either side may be first; only the static policies wait for them.
///
/// Where connections are bounded, a channel waits for room for its own, and the least recently used
/// one is chosen to be closed (closing.cpp). One place is left to peers that ask: what they ask for
/// stands at once and can be closed again, while those that this rank has asked for stand when
/// their peers find room. Were all places taken by such, ranks could wait for each other in a ring.
/// That is in connection_places.cpp; connector.cpp makes connections.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/engine/channel.hpp"
#include "mpi/engine/transport.hpp"

namespace railyard::mpi {

/// Channels by world rank. Takes memory for the peers there are, not for the size of the job.
class PeerTable {
  public:
    PeerTable() : slots_(8) {}

    Channel* find(int peer) {
        if (recent_ != nullptr && recent_->peer == peer) return recent_;
        return recent_ = search(peer);
    }
    Channel& add(std::unique_ptr<Channel> channel) {
        if (++count_ * 2 > slots_.size()) grow();
        channels_.push_back(std::move(channel));
        insert(*channels_.back());
        return *channels_.back();
    }
    /// In the order of adding.
    const std::vector<std::unique_ptr<Channel>>& all() const { return channels_; }

  private:
    struct Slot {
        int peer = -1;
        Channel* channel = nullptr;
    };
    Channel* search(int peer) const {
        for (std::size_t i = slot_of(peer);; ++i) {
            const Slot& slot = slots_[i & (slots_.size() - 1)];
            if (slot.peer == peer) return slot.channel;
            if (slot.channel == nullptr) return nullptr;
        }
    }
    std::size_t slot_of(int peer) const {
        return static_cast<std::size_t>((static_cast<std::uint32_t>(peer) * 0x9e3779b9u) >> 8) &
               (slots_.size() - 1);
    }
    void insert(Channel& channel) {
        std::size_t i = slot_of(channel.peer);
        while (slots_[i & (slots_.size() - 1)].channel != nullptr)
            ++i;
        slots_[i & (slots_.size() - 1)] = {channel.peer, &channel};
    }
    void grow() {
        slots_.assign(slots_.size() * 2, {});
        for (const auto& channel : channels_)
            insert(*channel);
    }

    std::vector<Slot> slots_;  ///< a power of two, at most half full
    std::vector<std::unique_ptr<Channel>> channels_;
    std::size_t count_ = 0;
    Channel* recent_ = nullptr;  ///< found last
};

class Connector {
  public:
    Connector(const EngineState& engine, Netmods& netmods);

    Channel* find(int peer) { return channels_.find(peer); }
    /// The channel to a peer; if it has no connection, it begins to connect, or to wait for that.
    Channel& open(int peer);
    /// Something has just gone over that channel, or come.
    void used(Channel& channel) { channel.last_used = ++uses_; }
    const std::vector<std::unique_ptr<Channel>>& channels() const { return channels_.all(); }
    /// Those whose rings are to be watched.
    const std::vector<Channel*>& watched() const { return watched_; }

    /// Looks for requests of peers, and at connections that are being made. Those that now stand
    /// are handed to `connected`. Throws MpiError when one has failed.
    template <class Connected>
    void advance(Connected&& connected) {
        answer_requests();
        for (std::size_t i = 0; i < connecting_.size();) {
            Channel& channel = *connecting_[i];
            if (!finish(channel)) {
                ++i;
                continue;
            }
            connecting_.erase(connecting_.begin() + static_cast<std::ptrdiff_t>(i));
            if (connecting_.empty())
                engine_.counters.connecting += static_cast<std::uint64_t>(
                    (channel.netmod.nic.host().now() - connecting_since_).nanoseconds());
            if (engine_.message_watch != nullptr) engine_.message_watch->connected(channel.peer);
            connected(channel);
        }
        if (!adding_rails_.empty()) advance_rails();
        if (!wanted_.empty()) begin_wanted();
    }
    /// Whether channels wait for a place.
    bool is_full() const { return !wanted_.empty(); }
    /// The connection whose place is wanted, if one more is to be closed; else null.
    Channel* next_to_close();
    /// One has begun to be closed, by either side.
    void count_closing() { ++closing_; }
    /// Its queue pairs and memory go. Both sides know that nothing is under way.
    void end(Channel& channel);
    /// Whether all rails stand that either side has asked for.
    bool has_all_rails(const Channel& channel) const {
        return !channel.wants_rails || channel.rails.size() == ports(channel.netmod);
    }
    /// Asks those who ask, where this rank answers. May be called while this rank makes channels
    /// itself, in virtual time, where either may have to wait.
    void answer_requests() {
        if (engine_.settings.answer_requests)
            netmods_.for_each([this](Netmod& netmod) { take_requests(netmod); });
    }
    bool is_connecting() const { return !connecting_.empty(); }
    /// Large messages go over this channel: it is to have a rail for every port.
    void want_rails(Channel& channel) {
        if (!channel.wants_rails && ports(channel.netmod) > 1 && has_queue_pair(channel.netmod))
            add_rail(channel);
    }

    /// Throws MpiError unless there are queue pairs for connections to every rank.
    void expect_room_for_all() const;
    /// Connects to every rank, client to server, in a fixed order (VC-4).
    void connect_all_as_client_and_server();
    /// Gives all queue pairs back. Nothing waits to leave any more, and nothing can from now on.
    void close_all();

  private:
    unsigned ports(const Netmod& netmod) const {
        const unsigned most = netmod.nic.traits().ports;
        return engine_.settings.ports == 0 ? most : std::min(most, engine_.settings.ports);
    }
    static bool has_queue_pair(const Netmod& netmod) {
        return netmod.queue_pairs < netmod.nic.traits().max_queue_pairs;
    }
    [[noreturn]] void throw_no_queue_pair(int peer) const;
    std::uint32_t limit() const { return engine_.settings.max_connections; }
    Channel& find_or_add(int peer);
    /// Whether there is a place for one more connection, asked for by this rank or by a peer.
    bool has_place(bool peer_asked) const {
        if (limit() == 0) return true;
        return open_ < limit() && (peer_asked || connecting_.size() + 1 < limit());
    }
    void want(Channel& channel);
    void begin_wanted();
    /// Asks the peer for a connection.
    void begin(Channel& channel);
    void take_place(Channel& channel);
    /// The queue pair, and memory for what will come.
    void prepare(Channel& channel);
    std::unique_ptr<fabric::QueuePair> make_rail(Channel& channel, unsigned port);
    void add_rail(Channel& channel);
    void advance_rails();
    void take_requests(Netmod& netmod);
    bool finish(Channel& channel);
    static void check(const Channel& channel, railyard::Status status);
    void establish(Channel& channel, const fabric::PrivateData& data);
    /// Memory for packets by send/receive.
    void open_buffers(Channel& channel);
    void hold(std::size_t bytes);
    void release(std::size_t bytes);
    fabric::PrivateData hello(const Channel& channel) const;

    EngineState engine_;
    Netmods& netmods_;
    PeerTable channels_;
    std::vector<Channel*> connecting_;
    Time connecting_since_;         ///< where any is
    std::vector<Channel*> wanted_;  ///< that wait for a place, in the order of asking
    std::uint32_t open_ = 0;        ///< connections, from the asking for them to their end
    std::uint32_t closing_ = 0;     ///< of them
    std::uint64_t uses_ = 0;
    std::vector<Channel*> adding_rails_;
    std::vector<Channel*> watched_;
};

}  // namespace railyard::mpi
