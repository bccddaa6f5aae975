#include "launch/links/door.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::links {

Door::Door(const Secret& secret, const Options& options)
    : secret_(secret),
      options_(options),
      listeners_(listen_at(options.where)),
      port_(port_of(listeners_.front().get())),
      ready_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!ready_) throw system_error("cannot make an epoll descriptor");
    for (const Descriptor& listener : listeners_)
        watch(listener.get());
}

void Door::watch(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (::epoll_ctl(ready_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        throw system_error("cannot watch a connection");
}

std::optional<Link> Door::poll() {
    if (pause_.passed()) go_on_after_pause();
    for (const Descriptor& listener : listeners_)
        if (!pause_.is_set()) let_in(listener.get());
    std::optional<Link> link;
    for (std::size_t i = 0; i < guests_.size() && !link;) {
        if (advance(guests_[i], link))
            ++i;
        else
            send_away(i);
    }
    return link;
}

void Door::let_in(int listener) {
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
            {std::move(socket), Handshake(secret_, Side::door), Deadline(options_.patience)});
        Guest& guest = guests_.back();
        const std::string greeting = guest.handshake.take_output();
        // A fresh socket has room for it; if not, the guest waits in vain, as strangers do.
        ::send(guest.socket.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
    }
}

/// Somebody waits outside, and there is no descriptor left for him. Until there is, nobody is told
/// of him: whoever waits here would be woken for nothing, again and again.
void Door::pause() {
    for (const Descriptor& listener : listeners_)
        ::epoll_ctl(ready_.get(), EPOLL_CTL_DEL, listener.get(), nullptr);
    pause_ = Deadline(Duration::ms(100));
}

void Door::go_on_after_pause() {
    pause_ = {};
    for (const Descriptor& listener : listeners_)
        watch(listener.get());
}

void Door::send_away(std::size_t guest) {
    guests_.erase(guests_.begin() + static_cast<std::ptrdiff_t>(guest));
}

bool Door::advance(Guest& guest, std::optional<Link>& link) {
    std::array<char, 512> buffer;
    const ssize_t n = ::recv(guest.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        if (!guest.deadline.passed()) return true;
        ++strangers_;
        return false;
    }
    std::string_view piece(buffer.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    const auto state = n > 0 ? guest.handshake.feed(piece) : Handshake::State::refused;
    if (state == Handshake::State::going) return true;
    if (state == Handshake::State::refused) {
        ++strangers_;
        return false;
    }
    const std::string answer = guest.handshake.take_output();
    ::send(guest.socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    ::epoll_ctl(ready_.get(), EPOLL_CTL_DEL, guest.socket.get(), nullptr);
    link.emplace(std::move(guest.socket), guest.handshake.keys(), Side::door, piece);
    return false;
}

}  // namespace railyard::links
