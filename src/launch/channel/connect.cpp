#include <fmt/format.h>
#include <string.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "base/clock.hpp"
#include "base/reactor.hpp"
#include "launch/channel/channel.hpp"
#include "launch/channel/endpoint.hpp"
#include "railyard/base/error.hpp"

namespace railyard::channel {

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
int connect_to(Reactor& reactor, const Endpoint& endpoint, const Descriptor& socket,
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
std::optional<Channel> greet(Reactor& reactor, Descriptor socket, const Secret& secret,
                             const Deadline& deadline, bool& is_refused) {
    TlsSession session(secret, Side::caller);
    std::string early;
    std::array<char, 4096> buffer;
    for (;;) {
        const std::string answer = session.take_output();
        ::send(socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
        is_refused = session.state() == TlsSession::State::refused;
        if (is_refused) return std::nullopt;
        if (session.state() == TlsSession::State::open)
            return Channel(std::move(socket), std::move(session), std::move(early));
        if (!await(reactor, socket.get(), Reactor::For::reading, deadline)) return std::nullopt;
        const ssize_t n = ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return std::nullopt;
        if (n < 0) continue;
        session.feed({buffer.data(), static_cast<std::size_t>(n)},
                     [&](std::string_view plain) { early += plain; });
    }
}

std::optional<Channel> try_one(Reactor& reactor, const Endpoint& endpoint, const Secret& secret,
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
    keep_alive(socket.get(), heartbeat);
    auto channel = greet(reactor, std::move(socket), secret, deadline, is_refused);
    if (!channel)
        failure = fmt::format("{}: whoever is there does not know the secret", endpoint.text());
    return channel;
}

}  // namespace

Channel connect(const std::vector<std::string>& addresses, const Secret& secret, Duration heartbeat,
                Duration patience) {
    Reactor reactor;
    const Deadline deadline(patience);
    for (;;) {
        std::string failures;
        bool all_refused = true;
        for (const std::string& address : addresses)
            for (const Endpoint& endpoint : resolve(parse_host_port(address))) {
                std::string failure;
                bool is_refused = false;
                const Duration each = std::min(longest_try, patience);
                if (auto channel =
                        try_one(reactor, endpoint, secret, heartbeat, each, failure, is_refused))
                    return std::move(*channel);
                all_refused = all_refused && is_refused;
                failures += (failures.empty() ? "" : "; ") + failure;
                if (deadline.passed()) break;
            }
        if (all_refused || deadline.passed())
            throw Error("nobody of this job can be reached: " + failures);
        sleep(reactor, between_tries);
    }
}

}  // namespace railyard::channel
