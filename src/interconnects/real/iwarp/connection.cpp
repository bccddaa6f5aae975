#include "interconnects/real/iwarp/connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/log.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/queue_pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp {

using fabric::PrivateData;

std::vector<std::byte> private_data(const std::optional<Hello>& hello, const PrivateData& users) {
    const std::size_t front = hello ? Hello::size : 0;
    std::vector<std::byte> bytes(front + users.bytes().size());
    if (hello) hello->write(bytes.data());
    std::ranges::copy(users.bytes(), bytes.data() + front);
    return bytes;
}

PrivateData users_part(const mpa::StartupFrame& frame) {
    std::span<const std::byte> bytes = frame.private_data();
    if (Hello::read_from(bytes)) bytes = bytes.subspan(Hello::size);
    return PrivateData(bytes.first(std::min(bytes.size(), PrivateData::capacity)));
}

namespace {

bool would_wait() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/// Reads what a start-up frame still needs. False if the connection has ended.
template <class Side>
bool read_startup(int socket, Side& side) {
    std::array<std::byte, mpa::longest_startup> bytes;
    while (side.missing() > 0) {
        const ssize_t n = ::recv(socket, bytes.data(), side.missing(), MSG_DONTWAIT);
        if (n < 0 && would_wait()) return true;
        if (n <= 0) return false;
        side.feed(std::span(bytes).first(static_cast<std::size_t>(n)));
    }
    return true;
}

}  // namespace

ConnectAttempt::ConnectAttempt(Nic& nic, QueuePair& owner, Descriptor socket,
                               const mpa::Wishes& wishes, std::span<const std::byte> data)
    : nic_(nic), owner_(owner), socket_(std::move(socket)), initiator_(wishes, data) {}

ConnectAttempt::~ConnectAttempt() {
    nic_.forget_events(*this);
}

Descriptor ConnectAttempt::take_socket() {
    nic_.forget_events(*this);
    return std::move(socket_);
}

bool ConnectAttempt::may_speak_revision_1() {
    const bool asked = initiator_.output().unsent().empty();
    if (initiator_.state() == mpa::Initiator::State::asking) return asked;  // and it closed
    return initiator_.error() == mpa::StartupError::wrong_answer &&
           initiator_.reply().revision == 1;
}

void ConnectAttempt::advance() {
    mpa::StartupOutput& output = initiator_.output();
    while (!output.unsent().empty()) {
        const ssize_t n = ::send(socket_.get(), output.unsent().data(), output.unsent().size(),
                                 MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && would_wait()) return;
        if (n < 0) return owner_.attempt_failed();
        output.sent(static_cast<std::size_t>(n));
    }
    if (!read_startup(socket_.get(), initiator_)) return owner_.attempt_failed();
    switch (initiator_.state()) {
        case mpa::Initiator::State::asking:
            return;
        case mpa::Initiator::State::agreed:
            return owner_.attempt_agreed();
        case mpa::Initiator::State::rejected:
            return owner_.attempt_rejected();
        case mpa::Initiator::State::failed:
            return owner_.attempt_failed();
    }
}

IncomingConnection::IncomingConnection(Nic& nic, Descriptor socket, const SocketAddress& from,
                                       Time deadline)
    : nic_(nic), socket_(std::move(socket)), deadline_(deadline) {
    from_.at = from;
}

IncomingConnection::~IncomingConnection() {
    close();
}

void IncomingConnection::close() {
    if (!socket_) return;
    nic_.forget_events(*this);
    socket_.reset();
}

Descriptor IncomingConnection::take_socket() {
    nic_.forget_events(*this);
    return std::move(socket_);
}

void IncomingConnection::advance() {
    if (!socket_) return;
    if (answerer_.state() == mpa::Answerer::State::asked) return look_for_end();
    if (!read_startup(socket_.get(), answerer_)) return close();
    if (answerer_.state() == mpa::Answerer::State::failed) {
        log_debug("iwarp: {} does not speak MPA", from_.at.text());
        return close();
    }
    if (answerer_.state() == mpa::Answerer::State::asked) understand();
}

/// Nothing may come before the answer, unless the other side gives up.
void IncomingConnection::look_for_end() {
    std::byte byte;
    const ssize_t n = ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    if (n < 0 && would_wait()) return;
    close();
    nic_.has_news();
}

void IncomingConnection::understand() {
    const mpa::StartupFrame& request = answerer_.request();
    hello_ = Hello::read_from(request.private_data());
    // Who was not told the key gets no answer, not even that there is a Nic, unless the user wants
    // peers that cannot know of keys.
    const bool welcome =
        hello_ ? hello_->key == nic_.name().key() : nic_.settings().plain_service.has_value();
    if (!welcome) {
        log_debug("iwarp: {} does not know whom it connects to", from_.at.text());
        return close();
    }
    users_data_ = users_part(request);
    if (hello_) {
        from_.id = hello_->ask.nic;
        from_.at.port = hello_->port;
    }
    look_for_end();
    if (socket_) nic_.connection_requests().asked(shared_from_this());
}

void IncomingConnection::refuse(Hello::Refusal why, const PrivateData& users) {
    if (!stands()) return close();
    std::optional<Hello> reply;
    if (hello_) {
        reply.emplace();
        reply->kind = hello_->kind;
        reply->refusal = why;
        reply->target = hello_->target;
    }
    answerer_.reject(private_data(reply, users));
    const std::span<const std::byte> bytes = answerer_.output().unsent();
    // A connection that has carried nothing yet takes so much at once.
    (void)::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    close();
}

IncomingRequest::IncomingRequest(Nic& nic, std::shared_ptr<IncomingConnection> connection)
    : nic_(nic), connection_(std::move(connection)), from_(connection_->from().address()) {}

IncomingRequest::~IncomingRequest() {
    reject(PrivateData());
}

void IncomingRequest::reject(const PrivateData& reason) {
    const auto guard = nic_.guard();
    if (connection_->stands()) connection_->refuse(Hello::Refusal::by_user, reason);
}

// Where connections come in and are sorted: to a listener, to the queue pair that asks the same
// peer for the same, or to those that wait until the user is told of them.

void ConnectionRequests::open(int socket) {
    socket_ = socket;
    if (!nic_.events().add_level(socket, *this)) throw system_error("iwarp: watching a socket");
}

void ConnectionRequests::ready(std::uint32_t) {
    const Time deadline = nic_.host().now() + nic_.settings().handshake;
    // Whoever connects again and again keeps nobody else waiting.
    constexpr int most_at_once = 64;
    for (int i = 0; i < most_at_once; ++i) {
        SocketAddress from;
        bool failed = false;
        Descriptor socket = accept_next(socket_, from, failed);
        if (failed && !evict_oldest()) rest();  // else there is room for a descriptor now
        if (!socket) break;
        set_options(socket.get(), nic_.settings().patience);
        const int number = socket.get();
        const auto connection =
            std::make_shared<IncomingConnection>(nic_, std::move(socket), from, deadline);
        if (!nic_.events().add_edge(number, *connection)) continue;
        const auto half_open =
            std::ranges::count_if(incoming_, [](const auto& c) { return c->half_open(); });
        if (static_cast<std::size_t>(half_open) >= nic_.settings().most_half_open) evict_oldest();
        incoming_.push_back(connection);
        connection->advance();
    }
    clean_up();
}

bool ConnectionRequests::evict_oldest() {
    const auto oldest = std::ranges::find_if(
        incoming_, [](const auto& connection) { return connection->half_open(); });
    if (oldest == incoming_.end()) return false;
    log_debug("iwarp: too many connections that say nothing; the oldest is closed");
    (*oldest)->close();
    return true;
}

/// Somebody connects, and there is no descriptor left for him. A rank that sleeps would be woken by
/// him for nothing, again and again.
void ConnectionRequests::rest() {
    log_debug("iwarp: no descriptors are left; nobody is let in for a while");
    nic_.events().remove(socket_);
    rests_until_ = nic_.host().now() + Duration::ms(100);
}

void ConnectionRequests::clean_up() {
    std::erase_if(incoming_, [](const auto& connection) { return connection->closed(); });
}

void ConnectionRequests::asked(const std::shared_ptr<IncomingConnection>& connection) {
    if (!connection->hello()) return give_to_listener(connection, *nic_.settings().plain_service);
    const Hello& hello = *connection->hello();
    if (!connection->is_peer()) return give_to_listener(connection, hello.target);
    if (losers_.contains(hello.ask)) return connection->refuse(Hello::Refusal::collision);
    for (QueuePair* candidate : nic_.connecting())
        if (candidate->waits_for(hello.ask.nic, hello.target, hello.ask)) {
            connection->shown = true;
            return candidate->meet(connection);
        }
    nic_.has_news();
}

void ConnectionRequests::give_to_listener(const std::shared_ptr<IncomingConnection>& connection,
                                          fabric::Service service) {
    const auto listener = listeners_.find(service);
    if (listener == listeners_.end() || !listener->second->add(connection))
        return connection->refuse(Hello::Refusal::nobody_listens);
    nic_.has_news();
}

std::unique_ptr<Listener> ConnectionRequests::listen(fabric::Service service) {
    if (listeners_.contains(service))
        throw Error(fmt::format("iwarp: this Nic already listens for service {}", service));
    auto listener = std::make_unique<Listener>(nic_, service);
    listeners_.emplace(service, listener.get());
    return listener;
}

std::optional<fabric::PeerRequest> ConnectionRequests::poll_peer_request() {
    for (const auto& connection : incoming_) {
        if (!connection->stands() || !connection->is_peer()) continue;
        if (std::exchange(connection->shown, true)) continue;
        return fabric::PeerRequest{connection->from().address(), connection->hello()->target,
                                   connection->users_data()};
    }
    return std::nullopt;
}

std::shared_ptr<IncomingConnection> ConnectionRequests::find_peer(
    const NicId& from, fabric::Discriminator discriminator) {
    const auto found = std::ranges::find_if(incoming_, [&](const auto& connection) {
        return connection->stands() && connection->is_peer() && connection->from().id == from &&
               connection->hello()->target == discriminator;
    });
    if (found == incoming_.end()) return nullptr;
    auto connection = *found;
    incoming_.erase(found);
    return connection;
}

void ConnectionRequests::tick(Time now) {
    if (now >= rests_until_) {
        rests_until_ = Time::never();
        open(socket_);
    }
    for (const auto& connection : incoming_)
        if (connection->half_open() && now >= connection->deadline()) {
            log_debug("iwarp: {} has not asked in time", connection->from().at.text());
            connection->close();
        }
    clean_up();
}

Time ConnectionRequests::next_timer() const {
    // All have the same time, so the first is the earliest.
    for (const auto& connection : incoming_)
        if (connection->half_open()) return std::min(rests_until_, connection->deadline());
    return rests_until_;
}

Listener::~Listener() {
    const auto guard = nic_.guard();
    nic_.connection_requests().stop_listening(service_);
    for (const auto& connection : waiting_)
        if (connection->stands()) connection->refuse(Hello::Refusal::nobody_listens);
}

bool Listener::add(const std::shared_ptr<IncomingConnection>& connection) {
    const std::size_t most = nic_.settings().most_half_open;
    if (waiting_.size() >= most)
        std::erase_if(waiting_, [](const auto& other) { return !other->stands(); });
    if (waiting_.size() >= most) return false;
    waiting_.push_back(connection);
    return true;
}

std::unique_ptr<fabric::ConnectionRequest> Listener::poll() {
    const auto guard = nic_.guard();
    nic_.progress_once();
    while (!waiting_.empty()) {
        auto connection = std::move(waiting_.front());
        waiting_.pop_front();
        if (connection->stands())
            return std::make_unique<IncomingRequest>(nic_, std::move(connection));
    }
    return nullptr;
}

}  // namespace railyard::iwarp
