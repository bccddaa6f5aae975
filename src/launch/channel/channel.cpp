#include "launch/channel/channel.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::channel {

Channel::Channel(Descriptor socket, TlsSession session, std::string early)
    : socket_(std::move(socket)), session_(std::move(session)), early_(std::move(early)) {
    push();
}

void Channel::attach(Reactor& reactor, const Reactor::Call& ready) {
    detach();  // Before the next: a descriptor is watched once.
    watch_ = reactor.watch(socket_.get(),
                           output_.empty() ? Reactor::For::reading : Reactor::For::both, ready);
    if (!early_.empty()) soon_ = reactor.after(Duration(), ready);
}

void Channel::detach() {
    watch_.reset();
    soon_.reset();
}

void Channel::send(std::uint32_t kind, std::string_view payload) {
    if (!why_.empty()) return;
    if (payload.size() > longest_message)
        throw UsageError(fmt::format("a message of {} bytes to another host is too long: {} go",
                                     payload.size(), longest_message));
    const FrameHeader header = frame_header(kind, payload.size());
    session_.send({header.data(), header.size()});
    session_.send(payload);
    push();
}

void Channel::push() {
    output_ += session_.take_output();
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
    watch_.change(output_.empty() ? Reactor::For::reading : Reactor::For::both);
}

bool Channel::lose(std::string why) {
    why_ = std::move(why);
    output_.clear();
    detach();
    return false;
}

bool Channel::receive(const Reader::Take& take) {
    constexpr const char* forged = "something came that the other side has not sent";
    if (!why_.empty()) return false;
    push();
    bool is_sound = reader_.feed(std::exchange(early_, {}), take);
    const auto read = [&](std::string_view plain) { is_sound = reader_.feed(plain, take); };
    std::array<char, 64 << 10> buffer;
    for (;;) {
        if (!is_sound) return lose(forged);
        const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (n > 0) {
            session_.feed({buffer.data(), static_cast<std::size_t>(n)}, read);
            if (session_.state() != TlsSession::State::open) return lose(forged);
            if (is_sound && static_cast<std::size_t>(n) < buffer.size()) return true;
        } else if (n == 0) {
            return lose("the connection was closed");
        } else if (errno == EAGAIN) {
            return true;
        } else if (errno != EINTR) {
            return lose(::strerror(errno));
        }
    }
}

std::string Channel::own_address() const {
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    char text[NI_MAXHOST] = "";
    auto* address = reinterpret_cast<sockaddr*>(&own);
    if (::getsockname(socket_.get(), address, &length) == 0)
        ::getnameinfo(address, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    return text;
}

void Channel::drain(Duration patience) {
    Reactor reactor;
    bool is_late = false;
    const auto timer = reactor.after(patience, [&] { is_late = true; });
    const auto watch = reactor.watch(socket_.get(), Reactor::For::writing, [this] { push(); });
    push();
    reactor.run_until([&] { return output_.empty() || is_late; });
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

}  // namespace railyard::channel
