#include "launch/tls/listener.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <iterator>
#include <utility>

namespace railyard::tls {

Listener::Listener(Reactor& reactor, const Secret& secret, const Options& options, Take take)
    : reactor_(reactor),
      secret_(secret),
      options_(options),
      take_(std::move(take)),
      listeners_(listen_at(options.where)),
      port_(port_of(listeners_.front().get())) {
    listen();
}

void Listener::listen() {
    for (const Descriptor& listener : listeners_)
        watches_.push_back(reactor_.watch(listener.get(), Reactor::For::reading,
                                          [this, fd = listener.get()] { accept_some(fd); }));
}

/// A connection waits to be accepted, and there is no descriptor left for it. Until there is, the
/// sockets are not watched: they would wake the reactor for nothing, again and again.
void Listener::pause() {
    watches_.clear();
    pause_ = reactor_.after(Duration::ms(100), [this] { listen(); });
}

void Listener::accept_some(int listener) {
    // Never so many at once that one who knows the secret would have to go before it could say so.
    for (std::size_t i = 0; i < options_.most_waiting / 2; ++i) {
        Descriptor socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket) {
            const bool no_room =
                errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            if (no_room) pause();
            return;
        }
        if (handshakes_.size() >= options_.most_waiting) refuse(handshakes_.begin());
        watch_over(socket.get(), options_.heartbeat);
        handshakes_.push_back({std::move(socket), Session(secret_, Side::listener)});
        const auto caller = std::prev(handshakes_.end());
        caller->watch = reactor_.watch(caller->socket.get(), Reactor::For::reading,
                                       [this, caller] { advance(caller); });
        caller->patience = reactor_.after(options_.patience, [this, caller] { refuse(caller); });
    }
}

void Listener::refuse(Handshakes::iterator caller) {
    ++refused_;
    handshakes_.erase(caller);
}

void Listener::advance(Handshakes::iterator caller) {
    std::array<char, 512> buffer;
    const ssize_t n = ::recv(caller->socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    auto state = Session::State::refused;
    if (n > 0)
        state = caller->session.feed({buffer.data(), static_cast<std::size_t>(n)},
                                     [&](std::string_view plain) { caller->early += plain; });
    // A fresh socket has room for it; if not, the caller waits in vain, as those without the secret
    // do.
    const std::string answer = caller->session.take_output();
    ::send(caller->socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    if (state == Session::State::handshake) return;
    if (state == Session::State::refused) return refuse(caller);
    caller->watch.reset();
    Link link(std::move(caller->socket), std::move(caller->session), std::move(caller->early));
    handshakes_.erase(caller);
    take_(std::move(link));
}

}  // namespace railyard::tls
