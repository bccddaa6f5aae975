#pragma once
/// Makes channels: on demand, at the first message to a peer, or from it where receives connect, or
/// when a peer asks (OD-1); or all at the start, as the policy says. Connections are made peer to
/// peer, so that either side may be first; only the static policies wait for them.

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
    /// The channel to a peer; if there is none yet, one that begins to connect.
    Channel& open(int peer);
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
            connected(channel);
        }
        if (!adding_rails_.empty()) advance_rails();
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
    Channel& make(int peer);
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
    fabric::PrivateData hello(const Channel& channel) const;

    EngineState engine_;
    Netmods& netmods_;
    PeerTable channels_;
    std::vector<Channel*> connecting_;
    std::vector<Channel*> adding_rails_;
    std::vector<Channel*> watched_;
};

}  // namespace railyard::mpi
