#include "launch/tls/link.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/network.hpp"
#include "base/reactor.hpp"
#include "launch/tls/addresses.hpp"
#include "railyard/base/error.hpp"

namespace railyard::tls {

namespace {

/// An address that does not answer must not use up the time that others may need.
constexpr Duration longest_try = Duration::s(3);
constexpr Duration between_tries = Duration::ms(50);

/// Until the socket is ready; false: too late.
bool await(Reactor& reactor, int socket, Reactor::For what, const Deadline& deadline) {
    bool is_ready = false;
    bool is_late = false;
    const auto watch = reactor.watch(socket, what, [&] { is_ready = true; });
    const auto timer =
        reactor.after(Duration::ms(deadline.milliseconds_left()), [&] { is_late = true; });
    reactor.run_until([&] { return is_ready || is_late; });
    return is_ready;
}

void sleep(Reactor& reactor, Duration time) {
    const auto timer = reactor.after(time, [] {});
    reactor.turn();
}

/// Connects to one address; the error number if it cannot.
int connect_to(Reactor& reactor, const SocketAddress& endpoint, const Descriptor& socket,
               const Deadline& deadline) {
    const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address);
    if (::connect(socket.get(), address, endpoint.length) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    if (!await(reactor, socket.get(), Reactor::For::writing, deadline)) return ETIMEDOUT;
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    return error;
}

/// Proves that we know the secret, and hears that they do. None: they do not, and maybe say so, or
/// not in time.
std::optional<Link> greet(Reactor& reactor, Descriptor socket, const Secret& secret,
                          const Deadline& deadline, bool& is_refused) {
    Session session(secret, Side::caller);
    std::string early;
    std::array<char, 4096> buffer;
    for (;;) {
        const std::string answer = session.take_output();
        ::send(socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
        is_refused = session.state() == Session::State::refused;
        if (is_refused) return std::nullopt;
        if (session.state() == Session::State::open)
            return Link(std::move(socket), std::move(session), std::move(early));
        if (!await(reactor, socket.get(), Reactor::For::reading, deadline)) return std::nullopt;
        const ssize_t n = ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return std::nullopt;
        if (n < 0) continue;
        session.feed({buffer.data(), static_cast<std::size_t>(n)},
                     [&](std::string_view plain) { early += plain; });
    }
}

std::optional<Link> try_one(Reactor& reactor, const SocketAddress& endpoint, const Secret& secret,
                            Duration heartbeat, Duration patience, std::string& failure,
                            bool& is_refused) {
    const Deadline deadline(patience);
    Descriptor socket(
        ::socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int error = socket ? connect_to(reactor, endpoint, socket, deadline) : errno;
    if (error != 0) {
        failure = fmt::format("{}: {}", endpoint.text(), ::strerror(error));
        return std::nullopt;
    }
    watch_over(socket.get(), heartbeat);
    auto link = greet(reactor, std::move(socket), secret, deadline, is_refused);
    if (!link)
        failure = fmt::format("{}: whoever is there does not know the secret", endpoint.text());
    return link;
}

}  // namespace

Link::Link(Descriptor socket, Session session, std::string early)
    : socket_(std::move(socket)), session_(std::move(session)), early_(std::move(early)) {
    push();
}

void Link::attach(Reactor& reactor, const Reactor::Call& ready) {
    detach();  // Before the next: a descriptor is watched once.
    watch_ = reactor.watch(socket_.get(),
                           output_.empty() ? Reactor::For::reading : Reactor::For::both, ready);
    if (!early_.empty()) soon_ = reactor.after(Duration(), ready);
}

void Link::detach() {
    watch_.reset();
    soon_.reset();
}

void Link::send(std::uint32_t kind, std::string_view payload) {
    if (!why_.empty()) return;
    if (payload.size() > longest_message)
        throw UsageError(fmt::format("a message of {} bytes to another host is too long: {} go",
                                     payload.size(), longest_message));
    const FrameHeader header = frame_header(kind, payload.size());
    session_.send({header.data(), header.size()});
    session_.send(payload);
    push();
}

void Link::push() {
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

bool Link::lose(std::string why) {
    why_ = std::move(why);
    output_.clear();
    detach();
    return false;
}

bool Link::receive(const Reader::Take& take) {
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
            if (session_.state() != Session::State::open) return lose(forged);
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
    Reactor reactor;
    bool is_late = false;
    const auto timer = reactor.after(patience, [&] { is_late = true; });
    const auto watch = reactor.watch(socket_.get(), Reactor::For::writing, [this] { push(); });
    push();
    reactor.run_until([&] { return output_.empty() || is_late; });
}

void watch_over(int socket, Duration heartbeat) {
    keep_alive(socket, heartbeat);
    // Nobody sends more than the other's buffer takes, so a process that does not read is not taken
    // for dead.
    constexpr double longest = 32'000;  // seconds
    const int milliseconds = static_cast<int>(std::min(heartbeat.seconds(), longest) * 1000);
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Link connect(const std::vector<std::string>& addresses, const Secret& secret, Duration heartbeat,
             Duration patience) {
    Reactor reactor;
    const Deadline deadline(patience);
    for (;;) {
        std::string failures;
        bool all_refused = true;
        for (const std::string& address : addresses)
            for (const SocketAddress& endpoint : resolve(parse_host_port(address))) {
                std::string failure;
                bool is_refused = false;
                const Duration each = std::min(longest_try, patience);
                if (auto link =
                        try_one(reactor, endpoint, secret, heartbeat, each, failure, is_refused))
                    return std::move(*link);
                all_refused = all_refused && is_refused;
                failures += (failures.empty() ? "" : "; ") + failure;
                if (deadline.passed()) break;
            }
        if (all_refused || deadline.passed())
            throw Error("nobody of this job can be reached: " + failures);
        sleep(reactor, between_tries);
    }
}

}  // namespace railyard::tls
