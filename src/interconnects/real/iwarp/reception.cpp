// Where calls come in and are sorted: to a listener, to the queue pair that asks the same peer for
// the same, or to those that wait until the user is told of them.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "interconnects/real/iwarp/connection.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/queue_pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp {

void ConnectionRequests::open(int socket) {
    socket_ = socket;
    if (!nic_.events().add_level(socket, *this)) throw system_error("iwarp: watching a socket");
}

void ConnectionRequests::ready(std::uint32_t) {
    const Time deadline = nic_.host().now() + nic_.settings().handshake;
    // Whoever calls and calls keeps nobody else waiting.
    constexpr int most_at_once = 64;
    for (int i = 0; i < most_at_once; ++i) {
        SocketAddress from;
        bool failed = false;
        Descriptor socket = accept_next(socket_, from, failed);
        if (failed && !evict_oldest()) rest();  // else there is room for a descriptor now
        if (!socket) break;
        set_options(socket.get(), nic_.settings().patience);
        const int number = socket.get();
        const auto call = std::make_shared<Call>(nic_, std::move(socket), from, deadline);
        if (!nic_.events().add_edge(number, *call)) continue;
        const auto half_open =
            std::ranges::count_if(calls_, [](const auto& c) { return c->half_open(); });
        if (static_cast<std::size_t>(half_open) >= nic_.settings().most_half_open) evict_oldest();
        calls_.push_back(call);
        call->advance();
    }
    clean_up();
}

bool ConnectionRequests::evict_oldest() {
    const auto oldest =
        std::ranges::find_if(calls_, [](const auto& call) { return call->half_open(); });
    if (oldest == calls_.end()) return false;
    log_debug("iwarp: too many connections that say nothing; the oldest is closed");
    (*oldest)->hang_up();
    return true;
}

/// Somebody calls, and there is no descriptor left for him. A rank that sleeps would be woken by
/// him for nothing, again and again.
void ConnectionRequests::rest() {
    log_debug("iwarp: no descriptors are left; nobody is let in for a while");
    nic_.events().remove(socket_);
    rests_until_ = nic_.host().now() + Duration::ms(100);
}

void ConnectionRequests::clean_up() {
    std::erase_if(calls_, [](const auto& call) { return call->closed(); });
}

void ConnectionRequests::asked(const std::shared_ptr<Call>& call) {
    if (!call->hello()) return give_to_listener(call, *nic_.settings().plain_service);
    const Hello& hello = *call->hello();
    if (!call->is_peer()) return give_to_listener(call, hello.target);
    if (losers_.contains(hello.ask)) return call->refuse(Hello::Refusal::collision);
    for (QueuePair* candidate : nic_.connecting())
        if (candidate->waits_for(hello.ask.nic, hello.target, hello.ask)) {
            call->shown = true;
            return candidate->meet(call);
        }
    nic_.has_news();
}

void ConnectionRequests::give_to_listener(const std::shared_ptr<Call>& call,
                                          fabric::Service service) {
    const auto listener = listeners_.find(service);
    if (listener == listeners_.end() || !listener->second->add(call))
        return call->refuse(Hello::Refusal::nobody_listens);
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
    for (const auto& call : calls_) {
        if (!call->stands() || !call->is_peer()) continue;
        if (std::exchange(call->shown, true)) continue;
        return fabric::PeerRequest{call->from().address(), call->hello()->target,
                                   call->users_data()};
    }
    return std::nullopt;
}

std::shared_ptr<Call> ConnectionRequests::find_peer_call(const NicId& from,
                                                         fabric::Discriminator discriminator) {
    const auto found = std::ranges::find_if(calls_, [&](const auto& call) {
        return call->stands() && call->is_peer() && call->from().id == from &&
               call->hello()->target == discriminator;
    });
    if (found == calls_.end()) return nullptr;
    auto call = *found;
    calls_.erase(found);
    return call;
}

void ConnectionRequests::tick(Time now) {
    if (now >= rests_until_) {
        rests_until_ = Time::never();
        open(socket_);
    }
    for (const auto& call : calls_)
        if (call->half_open() && now >= call->deadline()) {
            log_debug("iwarp: {} has not asked in time", call->from().at.text());
            call->hang_up();
        }
    clean_up();
}

Time ConnectionRequests::next_timer() const {
    // All have the same time, so the first is the earliest.
    for (const auto& call : calls_)
        if (call->half_open()) return std::min(rests_until_, call->deadline());
    return rests_until_;
}

Listener::~Listener() {
    const auto guard = nic_.guard();
    nic_.connection_requests().stop_listening(service_);
    for (const auto& call : waiting_)
        if (call->stands()) call->refuse(Hello::Refusal::nobody_listens);
}

bool Listener::add(const std::shared_ptr<Call>& call) {
    const std::size_t most = nic_.settings().most_half_open;
    if (waiting_.size() >= most)
        std::erase_if(waiting_, [](const auto& other) { return !other->stands(); });
    if (waiting_.size() >= most) return false;
    waiting_.push_back(call);
    return true;
}

std::unique_ptr<fabric::ConnectionRequest> Listener::poll() {
    const auto guard = nic_.guard();
    nic_.progress_once();
    while (!waiting_.empty()) {
        auto call = std::move(waiting_.front());
        waiting_.pop_front();
        if (call->stands()) return std::make_unique<IncomingRequest>(nic_, std::move(call));
    }
    return nullptr;
}

}  // namespace railyard::iwarp
