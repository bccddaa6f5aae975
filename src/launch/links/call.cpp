#include "launch/links/call.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "base/deadline.hpp"
#include "launch/links/endpoint.hpp"
#include "railyard/base/error.hpp"

namespace railyard::links {

namespace {

/// An address that does not answer must not use up the time that others may need.
constexpr Duration longest_try = Duration::s(3);
constexpr int pause_in_milliseconds = 50;

/// Until the socket is ready; false: too late.
bool await(int socket, short events, const Deadline& deadline) {
    pollfd wait{socket, events, 0};
    for (;;) {
        const int n = ::poll(&wait, 1, deadline.milliseconds_left());
        if (n > 0) return true;
        if (n == 0 || errno != EINTR) return false;
    }
}

/// Connects to one address; the error number if it cannot.
int connect_to(const Endpoint& endpoint, const Descriptor& socket, const Deadline& deadline) {
    const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address);
    if (::connect(socket.get(), address, endpoint.length) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    if (!await(socket.get(), POLLOUT, deadline)) return ETIMEDOUT;
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    return error;
}

/// Proves that we know the secret, and hears that they do. None: they do not, or not in time.
std::optional<Link> greet(Descriptor socket, const Secret& secret, const Deadline& deadline) {
    Handshake handshake(secret, Side::caller);
    std::array<char, 4096> buffer;
    for (;;) {
        if (!await(socket.get(), POLLIN, deadline)) return std::nullopt;
        const ssize_t n = ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return std::nullopt;
        if (n < 0) continue;
        std::string_view piece(buffer.data(), static_cast<std::size_t>(n));
        const auto state = handshake.feed(piece);
        if (state == Handshake::State::refused) return std::nullopt;
        if (state == Handshake::State::done)
            return Link(std::move(socket), handshake.keys(), Side::caller, piece);
        const std::string answer = handshake.take_output();
        ::send(socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    }
}

std::optional<Link> try_one(const Endpoint& endpoint, const Secret& secret, Duration heartbeat,
                            Duration patience, std::string& failure) {
    const Deadline deadline(patience);
    Descriptor socket(
        ::socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int error = socket ? connect_to(endpoint, socket, deadline) : errno;
    if (error != 0) {
        failure = fmt::format("{}: {}", endpoint.text(), ::strerror(error));
        return std::nullopt;
    }
    keep_alive(socket.get(), heartbeat);
    auto link = greet(std::move(socket), secret, deadline);
    if (!link)
        failure = fmt::format("{}: whoever is there does not know the secret", endpoint.text());
    return link;
}

}  // namespace

Link call(const std::vector<std::string>& addresses, const Secret& secret, Duration heartbeat,
          Duration patience) {
    const Deadline deadline(patience);
    for (;;) {
        std::string failures;
        for (const std::string& address : addresses)
            for (const Endpoint& endpoint : resolve(parse_host_port(address))) {
                std::string failure;
                const Duration each = std::min(longest_try, patience);
                if (auto link = try_one(endpoint, secret, heartbeat, each, failure))
                    return std::move(*link);
                failures += (failures.empty() ? "" : "; ") + failure;
                if (deadline.passed()) break;
            }
        if (deadline.passed()) throw Error("nobody of this job can be reached: " + failures);
        ::poll(nullptr, 0, pause_in_milliseconds);
    }
}

}  // namespace railyard::links
