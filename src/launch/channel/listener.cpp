#include "launch/channel/listener.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <iterator>
#include <utility>

namespace railyard::channel {

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
                                          [this, fd = listener.get()] { let_in(fd); }));
}

/// Somebody waits outside, and there is no descriptor left for it. Until there is, nobody is told:
/// whoever waits here would be woken for nothing, again and again.
void Listener::rest() {
    watches_.clear();
    rest_ = reactor_.after(Duration::ms(100), [this] { listen(); });
}

void Listener::let_in(int listener) {
    // Never so many at once that one who knows the secret would have to go before it could say so.
    for (std::size_t i = 0; i < options_.most_waiting / 2; ++i) {
        Descriptor socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket) {
            const bool no_room =
                errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            if (no_room) rest();
            return;
        }
        if (guests_.size() >= options_.most_waiting) send_away(guests_.begin());
        keep_alive(socket.get(), options_.heartbeat);
        guests_.push_back({std::move(socket), TlsSession(secret_, Side::listener)});
        const auto guest = std::prev(guests_.end());
        guest->watch = reactor_.watch(guest->socket.get(), Reactor::For::reading,
                                      [this, guest] { advance(guest); });
        guest->patience = reactor_.after(options_.patience, [this, guest] { send_away(guest); });
    }
}

void Listener::send_away(Guests::iterator guest) {
    ++strangers_;
    guests_.erase(guest);
}

void Listener::advance(Guests::iterator guest) {
    std::array<char, 512> buffer;
    const ssize_t n = ::recv(guest->socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    auto state = TlsSession::State::refused;
    if (n > 0)
        state = guest->session.feed({buffer.data(), static_cast<std::size_t>(n)},
                                    [&](std::string_view plain) { guest->early += plain; });
    // A fresh socket has room for it; if not, the guest waits in vain, as strangers do.
    const std::string answer = guest->session.take_output();
    ::send(guest->socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    if (state == TlsSession::State::handshake) return;
    if (state == TlsSession::State::refused) return send_away(guest);
    guest->watch.reset();
    Channel channel(std::move(guest->socket), std::move(guest->session), std::move(guest->early));
    guests_.erase(guest);
    take_(std::move(channel));
}

}  // namespace railyard::channel
