#include "interconnects/real/iwarp/socket.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "railyard/base/error.hpp"

namespace railyard::iwarp {

namespace {

void set(int socket, int level, int option, int value) {
    // An option that this kernel lacks costs speed or a warning time, not correctness.
    setsockopt(socket, level, option, &value, sizeof value);
}

Descriptor new_socket(bool v6) {
    return Descriptor(
        ::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

bool bind_to(int socket, const SocketAddress& address) {
    const SocketAddress::Raw raw = address.raw();
    return bind(socket, raw.get(), raw.size) == 0;
}

}  // namespace

Descriptor listen_at(SocketAddress& at, PortRange ports) {
    Descriptor socket = new_socket(at.v6);
    if (!socket) throw system_error("iwarp: a socket to listen on");
    // A port of the range may still have connections of a job that has ended.
    if (ports.first != 0) set(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    bool bound = false;
    for (std::uint32_t port = ports.first; !bound && port <= ports.last; ++port) {
        at.port = static_cast<std::uint16_t>(port);
        // Listening may fail where binding did not: with SO_REUSEADDR, another may listen there.
        bound = bind_to(socket.get(), at) && ::listen(socket.get(), SOMAXCONN) == 0;
        if (!bound && errno != EADDRINUSE) break;
        if (!bound) socket = new_socket(at.v6);
        if (!bound && ports.first != 0) set(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    }
    if (!bound) {
        const std::string where =
            ports.first == 0 ? at.text()
                             : fmt::format("{} and the ports up to {}", at.text(), ports.last);
        throw system_error(fmt::format(
            "iwarp: listening at {} (choose with RAILYARD_IWARP_ADDRESS and RAILYARD_IWARP_PORTS)",
            where));
    }
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&storage), &size) != 0)
        throw system_error("iwarp: the port that it listens at");
    at.port = SocketAddress::from_raw(storage).port;
    return socket;
}

Descriptor begin_connect(const SocketAddress& from, const SocketAddress& to) {
    Descriptor socket = new_socket(to.v6);
    if (!socket) return {};
    if (from.v6 == to.v6) {
        // The other side knows us by this address. A port is chosen later: there are more to choose
        // from once the kernel knows where to.
        SocketAddress here = from;
        here.port = 0;
        set(socket.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
        bind_to(socket.get(), here);
    }
    const SocketAddress::Raw raw = to.raw();
    if (::connect(socket.get(), raw.get(), raw.size) != 0 && errno != EINPROGRESS) return {};
    return socket;
}

Descriptor accept_next(int listener, SocketAddress& from, bool& failed) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    failed = false;
    for (;;) {
        Descriptor socket(accept4(listener, reinterpret_cast<sockaddr*>(&storage), &size,
                                  SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (socket) {
            from = SocketAddress::from_raw(storage);
            return socket;
        }
        if (errno == EINTR || errno == ECONNABORTED) continue;
        failed = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        return {};
    }
}

void set_options(int socket, Duration patience) {
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    // A quarter of the time for nothing to come, then a few questions in the rest. Whole seconds
    // are all that the kernel knows.
    constexpr int questions = 3;
    const auto seconds = static_cast<int>(std::clamp(patience.seconds() / 4, 1.0, 7200.0));
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE, seconds);
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, seconds);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, questions);
}

Acknowledged acknowledged(int socket) {
    int unsent = 0;
    if (ioctl(socket, SIOCOUTQ, &unsent) != 0 || unsent == 0) return {};
    tcp_info info{};
    socklen_t size = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
    return {false, Duration::ms(info.tcpi_last_ack_recv)};
}

std::size_t segment_size(int socket) {
    tcp_info info{};
    socklen_t size = sizeof info;
    constexpr std::size_t least = 536;  // what every host must take
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return least;
    return std::max<std::size_t>(info.tcpi_snd_mss, least);
}

void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace railyard::iwarp
