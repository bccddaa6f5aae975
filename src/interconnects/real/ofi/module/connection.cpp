#include "interconnects/real/ofi/module/connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/queue_pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

namespace {

// Who dials has to say what it wants in this time.
constexpr Duration handshake = Duration::s(5);
constexpr std::size_t most_half_open = 1024;

std::span<const std::byte> bytes_of(const Hello& hello) {
    return std::as_bytes(std::span(&hello, 1));
}

}  // namespace

IncomingConnection::~IncomingConnection() {
    close();
}

bool IncomingConnection::accept(fi_info& asked) {
    link_ = std::make_unique<Link>(nic_, port_, this);
    if (link_->accept(asked)) return true;
    close();
    return false;
}

bool IncomingConnection::accept(const NicName& from, std::uint32_t peers_number) {
    link_ = std::make_unique<Link>(nic_, port_, this);
    if (link_->accept(from, peers_number)) return true;
    close();
    return false;
}

void IncomingConnection::close() {
    if (link_) nic_.drop(std::move(link_));
}

std::unique_ptr<Link> IncomingConnection::take_link() {
    answered_ = true;
    return std::move(link_);
}

bool IncomingConnection::link_message(Operation& buffer) {
    Header header;
    std::memcpy(&header, buffer.data, std::min(buffer.length, sizeof header));
    const bool right =
        header.kind == Kind::hello && buffer.length == sizeof header + sizeof(Hello) && !hello_;
    if (!right) {
        log_debug("ofi: a peer says something else than hello");
        close();
        return false;
    }
    hello_.emplace();
    std::memcpy(&*hello_, buffer.data + sizeof header, sizeof(Hello));
    nic_.connection_requests().asked(shared_from_this());
    return false;
}

void IncomingConnection::link_down() {
    close();
    nic_.has_news();
}

void IncomingConnection::refuse(Hello::Refusal why, const fabric::PrivateData& data) {
    if (!stands()) return close();
    Hello reply;
    reply.from = nic_.address();
    reply.refusal = why;
    reply.set_data(data);
    Header header;
    header.kind = Kind::reject;
    link_->say(header, bytes_of(reply));
    answered_ = true;
    nic_.linger(std::move(link_));
}

IncomingRequest::IncomingRequest(Nic& nic, std::shared_ptr<IncomingConnection> connection)
    : nic_(nic), connection_(std::move(connection)), data_(connection_->hello().users_data()) {}

void IncomingRequest::reject(const fabric::PrivateData& reason) {
    if (connection_->stands()) connection_->refuse(Hello::Refusal::by_user, reason);
}

// Where connections come in and are sorted: to a listener, to the queue pair that asks the same
// peer for the same, or to those that wait until the user is told of them.

void ConnectionRequests::dialled(Port& port, fi_info& asked, std::span<const std::byte> greeting) {
    Greeting theirs;
    const Greeting ours{.to = nic_.id()};
    const bool whole = greeting.size() >= sizeof theirs;
    if (whole) std::memcpy(&theirs, greeting.data(), sizeof theirs);
    if (!whole || std::memcmp(&theirs, &ours, sizeof ours) != 0) {
        log_debug("ofi: somebody dials who does not know whom");
        port.device().refuse(asked);
        return;
    }
    const auto half_open =
        std::ranges::count_if(incoming_, [](const auto& c) { return c->half_open(); });
    if (static_cast<std::size_t>(half_open) >= most_half_open) {
        port.device().refuse(asked);
        return;
    }
    const auto connection =
        std::make_shared<IncomingConnection>(nic_, port, nic_.host().now() + handshake);
    if (connection->accept(asked)) incoming_.push_back(connection);
}

Link* ConnectionRequests::greeted(Port& port, const Header& header, const Hello& hello) {
    const NicName from = NicName::from_address(hello.from);
    if (!from.is_like(nic_.name())) {
        log_debug("ofi: somebody greets who is not of this fabric");
        return nullptr;
    }
    const auto connection =
        std::make_shared<IncomingConnection>(nic_, port, nic_.host().now() + handshake);
    const auto number = static_cast<std::uint32_t>(header.region);
    if (!connection->accept(from, number)) return nullptr;
    if (header.offset != nic_.id() || nic_.is_closing()) {
        log_debug("ofi: somebody on {} greets another than this", from.host());
        return nullptr;  // who goes with it says so
    }
    incoming_.push_back(connection);
    return connection->link();
}

void ConnectionRequests::clean_up() {
    std::erase_if(incoming_, [](const auto& connection) { return connection->closed(); });
}

void ConnectionRequests::asked(const std::shared_ptr<IncomingConnection>& connection) {
    const Hello& hello = connection->hello();
    if (hello.is_peer == 0) return give_to_listener(connection);
    if (losers_.contains(hello.ask)) return connection->refuse(Hello::Refusal::collision);
    for (QueuePair* candidate : nic_.connecting())
        if (candidate->waits_for(hello)) {
            connection->shown = true;
            return candidate->meet(*connection);
        }
    nic_.has_news();
}

void ConnectionRequests::give_to_listener(const std::shared_ptr<IncomingConnection>& connection) {
    const auto listener = listeners_.find(connection->hello().target);
    if (listener == listeners_.end() || !listener->second->add(connection))
        return connection->refuse(Hello::Refusal::nobody_listens);
    nic_.has_news();
}

std::unique_ptr<Listener> ConnectionRequests::listen(fabric::Service service) {
    if (listeners_.contains(service))
        throw Error(fmt::format("ofi: this Nic already listens for service {}", service));
    auto listener = std::make_unique<Listener>(nic_, service);
    listeners_.emplace(service, listener.get());
    return listener;
}

std::optional<fabric::PeerRequest> ConnectionRequests::poll_peer_request() {
    for (const auto& connection : incoming_) {
        if (!connection->stands() || connection->hello().is_peer == 0) continue;
        if (std::exchange(connection->shown, true)) continue;
        const Hello& hello = connection->hello();
        return fabric::PeerRequest{hello.from, hello.target, hello.users_data()};
    }
    return std::nullopt;
}

std::shared_ptr<IncomingConnection> ConnectionRequests::find_peer(
    std::uint64_t from, fabric::Discriminator discriminator) {
    const auto found = std::ranges::find_if(incoming_, [&](const auto& connection) {
        return connection->stands() && connection->hello().is_peer != 0 &&
               connection->hello().ask.nic == from && connection->hello().target == discriminator;
    });
    if (found == incoming_.end()) return nullptr;
    auto connection = *found;
    incoming_.erase(found);
    return connection;
}

void ConnectionRequests::tick(Time now) {
    for (const auto& connection : incoming_)
        if (connection->half_open() && now >= connection->deadline()) {
            log_debug("ofi: somebody dialled and said nothing");
            connection->close();
        }
    clean_up();
}

Time ConnectionRequests::next_timer() const {
    // All have the same time, so the first is the earliest.
    for (const auto& connection : incoming_)
        if (connection->half_open()) return connection->deadline();
    return Time::never();
}

Listener::~Listener() {
    nic_.connection_requests().stop_listening(service_);
    for (const auto& connection : waiting_)
        if (connection->stands()) connection->refuse(Hello::Refusal::nobody_listens);
}

bool Listener::add(const std::shared_ptr<IncomingConnection>& connection) {
    std::erase_if(waiting_, [](const auto& other) { return !other->stands(); });
    if (waiting_.size() >= most_half_open) return false;
    waiting_.push_back(connection);
    return true;
}

std::unique_ptr<fabric::ConnectionRequest> Listener::poll() {
    nic_.progress_once();
    while (!waiting_.empty()) {
        auto connection = std::move(waiting_.front());
        waiting_.pop_front();
        if (connection->stands())
            return std::make_unique<IncomingRequest>(nic_, std::move(connection));
    }
    return nullptr;
}

}  // namespace railyard::ofi
