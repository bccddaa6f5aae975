#include "mpi/engine/connector.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>
#include <span>

#include "mpi/engine/addresses.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

constexpr std::uint32_t right_version = 0x4d504901;

/// What both sides tell each other when they connect.
struct Hello {
    std::uint32_t version = right_version;
    std::int32_t rank = 0;
    RingGeometry geometry;  ///< of the ring that the other may write into; nought: none
    std::uint32_t credits = 0;
    fabric::RegionBlob ring;
};
static_assert(sizeof(Hello) + sizeof(Token) <= fabric::PrivateData::capacity);

Hello parse_hello(const fabric::PrivateData& data) {
    Hello hello;
    if (data.bytes().size() < sizeof hello)
        throw MpiError(ErrorClass::intern, "a peer connected that is not of this MPI library");
    std::memcpy(&hello, data.bytes().data(), sizeof hello);
    if (hello.version != right_version)
        throw MpiError(ErrorClass::intern,
                       "a peer connected that runs another version of this MPI library");
    return hello;
}

/// Whether it is one of this job who connects: where strangers could, the token follows. A
/// stranger's request stays unanswered.
bool is_ours(const fabric::PrivateData& data, const Route& route) {
    if (route.token == Token{}) return true;
    Token token;
    if (data.bytes().size() != sizeof(Hello) + sizeof token) return false;
    std::memcpy(&token, data.bytes().data() + sizeof(Hello), sizeof token);
    return token == route.token;
}

/// Where clients come in. Whoever comes before its turn waits.
struct Door {
    const Route* route = nullptr;
    std::unique_ptr<fabric::Listener> listener{};
    std::vector<std::unique_ptr<fabric::ConnectionRequest>> early{};

    std::unique_ptr<fabric::ConnectionRequest> await(fabric::Host& host, int peer) {
        std::unique_ptr<fabric::ConnectionRequest> found;
        host.wait_until([&] {
            while (auto request = listener->poll())
                if (is_ours(request->private_data(), *route)) early.push_back(std::move(request));
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
    // A packet is a write, and so are credits; the rest is room for mail and rendezvous.
    return std::min(traits.max_send_depth, traits.maps_allocated ? 64 : 2 * geometry.cells + 192);
}

}  // namespace

Connector::Connector(const Ground& ground, Routes& routes) : ground_(ground), routes_(routes) {
    routes_.for_each([this](const Route& route) {
        publish_address(ground_.rank, route.address_key, route.nic.address());
    });
}

std::unique_ptr<fabric::QueuePair> Connector::make_rail(Channel& channel, unsigned port) {
    Route& route = channel.route;
    fabric::QueuePairOptions options;
    options.send_completions = route.completions.get();
    options.receive_completions = route.completions.get();
    options.receives = &route.office.receives();
    options.send_depth = send_depth(route.nic.traits(), route.geometry);
    options.context = &channel;
    options.port = port;
    ++ground_.counters.queue_pairs;
    return route.nic.create_queue_pair(options);
}

Channel& Connector::make(int peer) {
    Route& route = routes_.to(peer);
    Channel& channel = channels_.add(std::make_unique<Channel>(peer, route));
    ++ground_.counters.channels;
    channel.rails.push_back(make_rail(channel, 0));
    if (route.rings < route.settings.watched_rings) {
        ++route.rings;
        channel.in = RingReader(route.nic, route.geometry);
    }
    return channel;
}

fabric::PrivateData Connector::hello(const Channel& channel) const {
    Hello hello;
    std::memset(static_cast<void*>(&hello), 0, sizeof hello);
    hello.version = right_version;
    hello.rank = ground_.rank.id();
    hello.credits = channel.route.settings.mail_credits;
    if (channel.in.open()) {
        hello.geometry = channel.route.geometry;
        hello.ring = channel.in.region().export_blob();
    }
    const Token& token = channel.route.token;
    if (token == Token{}) return fabric::PrivateData(std::as_bytes(std::span(&hello, 1)));
    std::array<std::byte, sizeof hello + sizeof token> both;
    std::memcpy(both.data(), &hello, sizeof hello);
    std::memcpy(both.data() + sizeof hello, &token, sizeof token);
    return fabric::PrivateData(both);
}

Channel& Connector::open(int peer) {
    if (Channel* channel = channels_.find(peer)) return *channel;
    const fabric::Address address = address_of(ground_.rank, peer, routes_.to(peer).address_key);
    Channel& channel = make(peer);
    check(channel, channel.rails[0]->connect_peer(address, 0, hello(channel), Time::never()));
    connecting_.push_back(&channel);
    return channel;
}

void Connector::take_requests(Route& route) {
    while (const auto request = route.nic.poll_peer_request()) {
        if (!is_ours(request->private_data, route)) continue;
        Channel& channel = open(parse_hello(request->private_data).rank);
        // A peer that adds a rail may be ahead of us: we may not know yet that the first one
        // stands.
        if (request->discriminator > 0) want_rails(channel);
    }
}

/// Asks for the next rail. The discriminator is its port.
void Connector::add_rail(Channel& channel) {
    const auto port = static_cast<unsigned>(channel.rails.size());
    channel.wants_rails = true;
    channel.next_rail = make_rail(channel, port);
    const fabric::Address address =
        address_of(ground_.rank, channel.peer, channel.route.address_key);
    check(channel, channel.next_rail->connect_peer(address, port, hello(channel), Time::never()));
    // Parts that come over further rails take receives.
    channel.route.office.open();
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
        if (channel->rails.size() < ports(channel->route)) add_rail(*channel);
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
            settle(channel, channel.rails[0]->peer_data());
            return true;
        case fabric::ConnectionState::failed:
            channel.state = ChannelState::failed;
            check(channel, channel.rails[0]->reason());
            return false;
        default:
            return false;
    }
}

void Connector::settle(Channel& channel, const fabric::PrivateData& data) {
    Route& route = channel.route;
    const Hello theirs = parse_hello(data);
    if (!is_ours(data, route))
        throw MpiError(ErrorClass::intern,
                       fmt::format("a stranger answered for rank {}", channel.peer));
    if (channel.in.open() && theirs.geometry == route.geometry) {
        channel.out = RingWriter(route.nic, *channel.rails[0], theirs.ring, route.geometry,
                                 channel.in.ledger());
        watched_.push_back(&channel);
        ground_.counters.peer_bytes += route.geometry.size() + channel.out.memory();
    } else {
        // Credits for rings come by ring: there are two, or none.
        if (channel.in.open()) --route.rings;
        channel.in = RingReader();
        const std::size_t before = route.office.memory();
        route.office.open();
        ground_.counters.peer_bytes += route.office.memory() - before;
        channel.mail_credits = theirs.credits;
    }
    channel.state = ChannelState::connected;
    ++ground_.counters.connections;
}

void Connector::connect_all_as_client_and_server() {
    const int self = ground_.rank.id();
    std::map<const Route*, Door> doors;
    routes_.for_each([&](Route& route) {
        doors.emplace(&route, Door{.route = &route, .listener = route.nic.listen(0)});
    });
    // Whoever connects must find a listener.
    ground_.rank.bootstrap().fence();
    for (int peer = 0; peer < ground_.rank.size(); ++peer) {
        if (peer == self) continue;
        Channel& channel = make(peer);
        fabric::QueuePair& queue_pair = *channel.rails[0];
        Door& door = doors.at(&channel.route);
        check(channel,
              peer > self
                  ? queue_pair.accept(*door.await(ground_.host, peer), hello(channel))
                  : queue_pair.connect(address_of(ground_.rank, peer, channel.route.address_key), 0,
                                       hello(channel), Time::never()));
        ground_.host.wait_until(
            [&] { return queue_pair.state() != fabric::ConnectionState::connecting; });
        finish(channel);
    }
}

}  // namespace railyard::mpi
