#include "launch/channel/listener.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::channel {

Listener::Listener(const Secret& secret, const Options& options)
    : secret_(secret),
      options_(options),
      listeners_(listen_at(options.where)),
      port_(port_of(listeners_.front().get())),
      ready_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!ready_) throw system_error("cannot make an epoll descriptor");
    for (const Descriptor& listener : listeners_)
        watch(listener.get());
}

void Listener::watch(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (::epoll_ctl(ready_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        throw system_error("cannot watch a connection");
}

std::optional<Channel> Listener::poll() {
    if (pause_.passed()) go_on_after_pause();
    for (const Descriptor& listener : listeners_)
        if (!pause_.is_set()) let_in(listener.get());
    std::optional<Channel> channel;
    for (std::size_t i = 0; i < guests_.size() && !channel;) {
        if (advance(guests_[i], channel))
            ++i;
        else
            send_away(i);
    }
    return channel;
}

void Listener::let_in(int listener) {
    // Never so many at once that one who knows the secret would have to go before it could say so.
    for (std::size_t i = 0; i < options_.most_waiting / 2; ++i) {
        Descriptor socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket) {
            const bool no_room =
                errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            if (no_room) pause();
            return;
        }
        if (guests_.size() >= options_.most_waiting) {
            ++strangers_;
            send_away(0);
        }
        watch(socket.get());
        keep_alive(socket.get(), options_.heartbeat);
        guests_.push_back(
            {std::move(socket), TlsSession(secret_, Side::listener), Deadline(options_.patience)});
    }
}

/// Somebody waits outside, and there is no descriptor left for him. Until there is, nobody is told
/// of him: whoever waits here would be woken for nothing, again and again.
void Listener::pause() {
    for (const Descriptor& listener : listeners_)
        ::epoll_ctl(ready_.get(), EPOLL_CTL_DEL, listener.get(), nullptr);
    pause_ = Deadline(Duration::ms(100));
}

void Listener::go_on_after_pause() {
    pause_ = {};
    for (const Descriptor& listener : listeners_)
        watch(listener.get());
}

void Listener::send_away(std::size_t guest) {
    guests_.erase(guests_.begin() + static_cast<std::ptrdiff_t>(guest));
}

bool Listener::advance(Guest& guest, std::optional<Channel>& channel) {
    std::array<char, 512> buffer;
    const ssize_t n = ::recv(guest.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        if (!guest.deadline.passed()) return true;
        ++strangers_;
        return false;
    }
    auto state = TlsSession::State::refused;
    if (n > 0)
        state = guest.session.feed({buffer.data(), static_cast<std::size_t>(n)},
                                   [&](std::string_view plain) { guest.early += plain; });
    // A fresh socket has room for it; if not, the guest waits in vain, as strangers do.
    const std::string answer = guest.session.take_output();
    ::send(guest.socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    if (state == TlsSession::State::handshake) return true;
    if (state == TlsSession::State::refused) {
        ++strangers_;
        return false;
    }
    ::epoll_ctl(ready_.get(), EPOLL_CTL_DEL, guest.socket.get(), nullptr);
    channel.emplace(std::move(guest.socket), std::move(guest.session), std::move(guest.early));
    return false;
}

}  // namespace railyard::channel
