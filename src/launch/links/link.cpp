#include "launch/links/link.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/deadline.hpp"
#include "railyard/base/error.hpp"

namespace railyard::links {

Link::Link(Descriptor socket, const Keys& keys, Side side, std::string_view rest)
    : socket_(std::move(socket)),
      ready_(::epoll_create1(EPOLL_CLOEXEC)),
      sealer_(side == Side::door ? keys.to_caller : keys.to_door),
      unsealer_(side == Side::door ? keys.to_door : keys.to_caller),
      early_(rest) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (!ready_ || ::epoll_ctl(ready_.get(), EPOLL_CTL_ADD, socket_.get(), &event) != 0)
        throw system_error("cannot watch a connection");
}

void Link::send(std::uint32_t kind, std::string_view payload) {
    if (!why_.empty()) return;
    sealer_.seal(kind, payload, output_);
    push();
}

void Link::push() {
    std::size_t sent = 0;
    while (sent < output_.size()) {
        const ssize_t n = ::send(socket_.get(), output_.data() + sent, output_.size() - sent,
                                 MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0) {
            sent += static_cast<std::size_t>(n);
        } else if (errno != EINTR) {
            // A broken connection is told of by receive(), behind all that came before it broke.
            if (errno != EAGAIN) sent = output_.size();
            break;
        }
    }
    output_.erase(0, sent);
    watch();
}

void Link::watch() {
    if (watches_output_ == !output_.empty()) return;
    watches_output_ = !output_.empty();
    epoll_event event{};
    event.events = watches_output_ ? EPOLLIN | EPOLLOUT : EPOLLIN;
    ::epoll_ctl(ready_.get(), EPOLL_CTL_MOD, socket_.get(), &event);
}

bool Link::lose(std::string why) {
    why_ = std::move(why);
    output_.clear();
    ::epoll_ctl(ready_.get(), EPOLL_CTL_DEL, socket_.get(), nullptr);
    return false;
}

bool Link::receive(const Unsealer::Take& take) {
    constexpr const char* forged = "something came that was not sealed by the other side";
    if (!why_.empty()) return false;
    push();
    if (!unsealer_.feed(std::exchange(early_, {}), take)) return lose(forged);
    std::array<char, 64 << 10> buffer;
    for (;;) {
        const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (n > 0) {
            if (!unsealer_.feed({buffer.data(), static_cast<std::size_t>(n)}, take))
                return lose(forged);
            if (static_cast<std::size_t>(n) < buffer.size()) return true;
        } else if (n == 0) {
            return lose("the connection was closed");
        } else if (errno == EAGAIN) {
            return true;
        } else if (errno != EINTR) {
            return lose(::strerror(errno));
        }
    }
}

std::string Link::own_address() const {
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    char text[NI_MAXHOST] = "";
    auto* address = reinterpret_cast<sockaddr*>(&own);
    if (::getsockname(socket_.get(), address, &length) == 0)
        ::getnameinfo(address, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    return text;
}

void Link::drain(Duration patience) {
    const Deadline deadline(patience);
    for (push(); !output_.empty() && !deadline.passed(); push()) {
        pollfd wait{socket_.get(), POLLOUT, 0};
        ::poll(&wait, 1, deadline.milliseconds_left());
    }
}

void keep_alive(int socket, Duration heartbeat) {
    const auto set = [&](int level, int option, int value) {
        ::setsockopt(socket, level, option, &value, sizeof value);
    };
    // Three questions without an answer, and the first after as long a silence.
    constexpr int questions = 3;
    constexpr double longest = 32'000;  // seconds; the kernel takes not much more
    const double time = std::clamp(heartbeat.seconds(), 0.001, longest);
    const int seconds = std::max(1, static_cast<int>(time) / (questions + 1));
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, seconds);
    set(IPPROTO_TCP, TCP_KEEPINTVL, seconds);
    set(IPPROTO_TCP, TCP_KEEPCNT, questions);
    // The same for what was sent and not acknowledged. Nobody sends more than the other's buffer
    // takes, so a process that does not read is not taken for dead.
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(time * 1000));
    set(IPPROTO_TCP, TCP_NODELAY, 1);
}

}  // namespace railyard::links
