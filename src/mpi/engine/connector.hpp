#pragma once
/// Makes channels: on demand, when the first message to a peer wants one or when a peer asks
/// (OD-1), or all at the start, as the policy says. Connections are asked for peer to peer, so that
/// either side may be first; nobody waits for one here, but in the static policies.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/engine/peer_table.hpp"
#include "mpi/engine/transport.hpp"

namespace railyard::mpi {

class Connector {
  public:
    Connector(const Ground& ground, Routes& routes);

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
        routes_.for_each([this](Route& route) { take_requests(route); });
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
    bool is_connecting() const { return !connecting_.empty(); }
    /// Large messages go over this channel: it is to have a rail for every port.
    void want_rails(Channel& channel) {
        if (!channel.wants_rails && ports(channel.route) > 1) add_rail(channel);
    }

    /// Connects to every rank, client to server, in a fixed order (VC-4).
    void connect_all_as_client_and_server();

  private:
    unsigned ports(const Route& route) const {
        const unsigned most = route.nic.traits().ports;
        return ground_.settings.ports == 0 ? most : std::min(most, ground_.settings.ports);
    }
    Channel& make(int peer);
    std::unique_ptr<fabric::QueuePair> make_rail(Channel& channel, unsigned port);
    void add_rail(Channel& channel);
    void advance_rails();
    void take_requests(Route& route);
    bool finish(Channel& channel);
    static void check(const Channel& channel, railyard::Status status);
    void settle(Channel& channel, const fabric::PrivateData& data);
    fabric::PrivateData hello(const Channel& channel) const;

    Ground ground_;
    Routes& routes_;
    PeerTable channels_;
    std::vector<Channel*> connecting_;
    std::vector<Channel*> adding_rails_;
    std::vector<Channel*> watched_;
};

}  // namespace railyard::mpi
