#include "mpi/engine/connector.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>
#include <span>

#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

constexpr std::uint32_t protocol_version = 0x4d504901;

/// What both sides tell each other when they connect.
struct Hello {
    std::uint32_t version = protocol_version;
    std::int32_t rank = 0;
    RingGeometry geometry;  ///< of the ring that the other may write into; zero: none
    std::uint32_t credits = 0;
    fabric::RegionBlob ring;
};
static_assert(sizeof(Hello) + sizeof(Token) <= fabric::PrivateData::capacity);

Hello parse_hello(const fabric::PrivateData& data) {
    Hello hello;
    if (data.bytes().size() < sizeof hello)
        throw MpiError(ErrorClass::intern, "a peer connected that is not of this MPI library");
    std::memcpy(&hello, data.bytes().data(), sizeof hello);
    if (hello.version != protocol_version)
        throw MpiError(ErrorClass::intern,
                       "a peer connected that runs another version of this MPI library");
    return hello;
}

/// Whether the peer is of this job: where outsiders could connect, the token follows the Hello.
/// Their requests stay unanswered.
bool is_of_this_job(const fabric::PrivateData& data, Netmod& netmod) {
    if (netmod.token() == Token{}) return true;
    Token token;
    if (data.bytes().size() != sizeof(Hello) + sizeof token) return false;
    std::memcpy(&token, data.bytes().data() + sizeof(Hello), sizeof token);
    return token == netmod.token();
}

/// Listens for clients. Those that come before their turn wait.
struct Acceptor {
    Netmod* netmod = nullptr;
    std::unique_ptr<fabric::Listener> listener{};
    std::vector<std::unique_ptr<fabric::ConnectionRequest>> early{};

    std::unique_ptr<fabric::ConnectionRequest> await(fabric::Host& host, int peer) {
        std::unique_ptr<fabric::ConnectionRequest> found;
        host.wait_until([&] {
            while (auto request = listener->poll())
                if (is_of_this_job(request->private_data(), *netmod))
                    early.push_back(std::move(request));
            for (auto at = early.begin(); at != early.end(); ++at) {
                if (parse_hello((*at)->private_data()).rank != peer) continue;
                found = std::move(*at);
                early.erase(at);
                return true;
            }
            return false;
        });
        return found;
    }
};

std::uint32_t send_depth(const fabric::Traits& traits, const RingGeometry& geometry) {
    // A packet is a write, and so are credits; the rest is room for send/receive and rendezvous.
    return std::min(traits.max_send_depth, traits.maps_allocated ? 64 : 2 * geometry.cells + 192);
}

}  // namespace

Connector::Connector(const EngineState& engine, Netmods& netmods)
    : engine_(engine), netmods_(netmods) {
    netmods_.for_each([this](const Netmod& netmod) {
        publish_address(engine_.rank, netmod.address_key, netmod.nic.address());
    });
}

std::unique_ptr<fabric::QueuePair> Connector::make_rail(Channel& channel, unsigned port) {
    Netmod& netmod = channel.netmod;
    fabric::QueuePairOptions options;
    options.send_completions = netmod.completions.get();
    options.receive_completions = netmod.completions.get();
    // Where receives are not shared, all packets come over the first rail: others need none. There
    // a packet that comes without one breaks the connection, as in VIA; credits see to that.
    if (netmod.eager || port == 0) options.receives = &channel.buffers->receives();
    if (!netmod.eager) options.receiver_not_ready_timeout = Duration{};
    options.send_depth = send_depth(netmod.nic.traits(), netmod.geometry);
    options.context = &channel;
    options.port = port;
    ++engine_.counters.queue_pairs;
    ++netmod.queue_pairs;
    return netmod.nic.create_queue_pair(options);
}

void Connector::throw_no_queue_pair(int peer) const {
    const Netmod& netmod = netmods_.to(peer);
    const fabric::Traits& traits = netmod.nic.traits();
    std::string remedy = engine_.settings.connections == Connections::on_demand
                             ? "bound the connections (--max-connections)"
                             : "connect on demand (connections: on-demand), or start fewer ranks";
    if (traits.clock == fabric::Clock::virtual_time)
        remedy += ", or raise connection.queue_pairs in a profile of your own";
    throw MpiError(ErrorClass::other,
                   fmt::format("cannot connect to rank {}: {} lets a process have {} queue pairs "
                               "(VIs) and no more; {}",
                               peer, traits.name, traits.max_queue_pairs, remedy));
}

void Connector::expect_room_for_all() const {
    std::map<const Netmod*, std::uint32_t> wanted;
    for (int peer = 0; peer < engine_.rank.size(); ++peer) {
        if (peer == engine_.rank.id()) continue;
        const Netmod& netmod = netmods_.to(peer);
        if (++wanted[&netmod] > netmod.nic.traits().max_queue_pairs) throw_no_queue_pair(peer);
    }
}

Channel& Connector::find_or_add(int peer) {
    if (Channel* channel = channels_.find(peer)) return *channel;
    ++engine_.counters.channels;
    return channels_.add(std::make_unique<Channel>(peer, netmods_.to(peer)));
}

void Connector::take_place(Channel& channel) {
    if (!has_queue_pair(channel.netmod)) throw_no_queue_pair(channel.peer);
    channel.state = ChannelState::connecting;
    channel.peer_waits = false;
    ++open_;
}

void Connector::prepare(Channel& channel) {
    Netmod& netmod = channel.netmod;
    if (!netmod.eager) {
        channel.own_buffers = netmod.make_own_buffers();
        channel.buffers = channel.own_buffers.get();
    }
    channel.rails.push_back(make_rail(channel, 0));
    if (netmod.rings < netmod.settings.watched_rings) {
        ++netmod.rings;
        channel.in = RingReader(netmod.nic, netmod.geometry);
    } else if (!netmod.eager) {
        open_buffers(channel);  // receives are posted before the connection is (VC-2)
    }
}

void Connector::open_buffers(Channel& channel) {
    const std::size_t before = channel.buffers->memory();
    channel.buffers->open();
    hold(channel.buffers->memory() - before);
}

void Connector::hold(std::size_t bytes) {
    engine_.counters.peer_bytes += bytes;
    engine_.counters.pin(bytes);
}

void Connector::release(std::size_t bytes) {
    engine_.counters.peer_bytes -= bytes;
    engine_.counters.unpin(bytes);
}

fabric::PrivateData Connector::hello(const Channel& channel) const {
    Hello hello;
    std::memset(static_cast<void*>(&hello), 0, sizeof hello);
    hello.version = protocol_version;
    hello.rank = engine_.rank.id();
    // Own receives are posted once it is known that there will be no rings; until then, nothing may
    // come for them.
    const bool takes_packets = channel.netmod.eager || channel.buffers->is_open();
    hello.credits = takes_packets ? channel.netmod.settings.credits : 0;
    if (channel.in.open()) {
        hello.geometry = channel.netmod.geometry;
        hello.ring = channel.in.region().export_blob();
    }
    const Token& token = channel.netmod.token();
    if (token == Token{}) return fabric::PrivateData(std::as_bytes(std::span(&hello, 1)));
    std::array<std::byte, sizeof hello + sizeof token> both;
    std::memcpy(both.data(), &hello, sizeof hello);
    std::memcpy(both.data() + sizeof hello, &token, sizeof token);
    return fabric::PrivateData(both);
}

Channel& Connector::open(int peer) {
    Channel& channel = find_or_add(peer);
    if (channel.state == ChannelState::closed) want(channel);
    return channel;
}

void Connector::begin(Channel& channel) {
    // First: the others may wait, in virtual time, and peers be answered meanwhile.
    take_place(channel);
    if (engine_.message_watch != nullptr) engine_.message_watch->connecting(channel.peer);
    const fabric::Address address =
        address_of(engine_.rank, channel.peer, channel.netmod.address_key);
    prepare(channel);
    check(channel, channel.rails[0]->connect_peer(address, 0, hello(channel), Time::never()));
    if (connecting_.empty()) connecting_since_ = channel.netmod.nic.host().now();
    connecting_.push_back(&channel);
}

void Connector::take_requests(Netmod& netmod) {
    while (const auto request = netmod.nic.poll_peer_request()) {
        if (!is_of_this_job(request->private_data, netmod)) continue;
        Channel& channel = find_or_add(parse_hello(request->private_data).rank);
        // A peer that adds a rail may be ahead of us: we may not know yet that the first one
        // stands.
        if (request->discriminator > 0) {
            want_rails(channel);
            continue;
        }
        if (channel.state != ChannelState::connecting) channel.peer_waits = true;
        if (channel.state == ChannelState::closed) want(channel);
    }
}

/// Asks for the next rail. The discriminator is its port.
void Connector::add_rail(Channel& channel) {
    const auto port = static_cast<unsigned>(channel.rails.size());
    channel.wants_rails = true;
    channel.next_rail = make_rail(channel, port);
    const fabric::Address address =
        address_of(engine_.rank, channel.peer, channel.netmod.address_key);
    check(channel, channel.next_rail->connect_peer(address, port, hello(channel), Time::never()));
    // Stripes that come over further rails take receives.
    if (channel.netmod.eager) channel.netmod.eager->open();
    adding_rails_.push_back(&channel);
}

void Connector::advance_rails() {
    std::vector<Channel*> waiting;
    waiting.swap(adding_rails_);
    for (Channel* channel : waiting) {
        if (channel->next_rail->state() != fabric::ConnectionState::connected) {
            check(*channel, channel->next_rail->reason());
            adding_rails_.push_back(channel);
            continue;
        }
        channel->rails.push_back(std::move(channel->next_rail));
        if (channel->rails.size() < ports(channel->netmod)) add_rail(*channel);
    }
}

void Connector::check(const Channel& channel, railyard::Status status) {
    if (status.code() == Code::timed_out)
        throw PeerLost(
            fmt::format("cannot reach rank {}: its adapter does not answer", channel.peer));
    if (status.failed())
        throw PeerLost(fmt::format("cannot connect to rank {}: {}", channel.peer, status.name()));
}

bool Connector::finish(Channel& channel) {
    switch (channel.rails[0]->state()) {
        case fabric::ConnectionState::connected:
            establish(channel, channel.rails[0]->peer_data());
            return true;
        case fabric::ConnectionState::failed:
            channel.state = ChannelState::failed;
            check(channel, channel.rails[0]->reason());
            return false;
        default:
            return false;
    }
}

void Connector::establish(Channel& channel, const fabric::PrivateData& data) {
    Netmod& netmod = channel.netmod;
    const Hello theirs = parse_hello(data);
    if (!is_of_this_job(data, netmod))
        throw MpiError(ErrorClass::intern,
                       fmt::format("an outsider answered for rank {}", channel.peer));
    if (channel.in.open() && theirs.geometry == netmod.geometry) {
        channel.out = RingWriter(netmod.nic, *channel.rails[0], theirs.ring, netmod.geometry,
                                 channel.in.peers_counts());
        watched_.push_back(&channel);
        hold(netmod.geometry.size() + channel.out.memory());
    } else {
        // Credits for rings come by ring: there are two, or none.
        if (channel.in.open()) --netmod.rings;
        channel.in = RingReader();
        if (!netmod.eager && !channel.buffers->is_open())
            channel.owed_credits = static_cast<std::uint16_t>(netmod.settings.credits);
        open_buffers(channel);
        channel.credits += theirs.credits;  // the peer's first packet may have brought some already
    }
    channel.state = ChannelState::connected;
    used(channel);
    ++engine_.counters.connections;
}

void Connector::close_all() {
    for (const auto& channel : channels_.all()) {
        channel->next_rail.reset();
        channel->rails.clear();
    }
    // In virtual time, what the system does for that has its cost, and is done now.
    engine_.host.compute(Duration{});
}

void Connector::connect_all_as_client_and_server() {
    const int self = engine_.rank.id();
    std::map<const Netmod*, Acceptor> acceptors;
    netmods_.for_each([&](Netmod& netmod) {
        acceptors.emplace(&netmod, Acceptor{.netmod = &netmod, .listener = netmod.nic.listen(0)});
    });
    // Whoever connects must find a listener.
    engine_.rank.bootstrap().fence();
    for (int peer = 0; peer < engine_.rank.size(); ++peer) {
        if (peer == self) continue;
        Channel& channel = find_or_add(peer);
        take_place(channel);
        prepare(channel);
        fabric::QueuePair& queue_pair = *channel.rails[0];
        Acceptor& acceptor = acceptors.at(&channel.netmod);
        check(channel,
              peer > self
                  ? queue_pair.accept(*acceptor.await(engine_.host, peer), hello(channel))
                  : queue_pair.connect(address_of(engine_.rank, peer, channel.netmod.address_key),
                                       0, hello(channel), Time::never()));
        engine_.host.wait_until(
            [&] { return queue_pair.state() != fabric::ConnectionState::connecting; });
        finish(channel);
    }
}

}  // namespace railyard::mpi
