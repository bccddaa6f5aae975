#include "interconnects/real/iwarp/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "base/network.hpp"
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
    if (::connect(socket.get(), raw.get(), raw.size) == 0 || errno == EINPROGRESS) return socket;
    const int error = errno;
    socket.reset();
    errno = error;
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
    keep_alive(socket, patience);
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

// Addresses: as the kernel, people and settings write them.

SocketAddress::Raw SocketAddress::raw() const {
    Raw raw;
    if (v6) {
        auto& in = reinterpret_cast<sockaddr_in6&>(raw.storage);
        in.sin6_family = AF_INET6;
        in.sin6_port = htons(port);
        in.sin6_scope_id = scope;
        std::memcpy(&in.sin6_addr, address.data(), sizeof in.sin6_addr);
        raw.size = sizeof in;
    } else {
        auto& in = reinterpret_cast<sockaddr_in&>(raw.storage);
        in.sin_family = AF_INET;
        in.sin_port = htons(port);
        std::memcpy(&in.sin_addr, address.data(), sizeof in.sin_addr);
        raw.size = sizeof in;
    }
    return raw;
}

SocketAddress SocketAddress::from_raw(const sockaddr_storage& storage) {
    SocketAddress made;
    made.v6 = storage.ss_family == AF_INET6;
    if (made.v6) {
        const auto& in = reinterpret_cast<const sockaddr_in6&>(storage);
        made.port = ntohs(in.sin6_port);
        made.scope = in.sin6_scope_id;
        std::memcpy(made.address.data(), &in.sin6_addr, sizeof in.sin6_addr);
    } else {
        const auto& in = reinterpret_cast<const sockaddr_in&>(storage);
        made.port = ntohs(in.sin_port);
        std::memcpy(made.address.data(), &in.sin_addr, sizeof in.sin_addr);
    }
    return made;
}

std::string SocketAddress::text() const {
    char buffer[INET6_ADDRSTRLEN] = "";
    inet_ntop(v6 ? AF_INET6 : AF_INET, address.data(), buffer, sizeof buffer);
    return fmt::format(fmt::runtime(v6 ? "[{}]:{}" : "{}:{}"), buffer, port);
}

namespace {

SocketAddress loopback() {
    SocketAddress made;
    made.address = {std::byte{127}, std::byte{0}, std::byte{0}, std::byte{1}};
    return made;
}

bool parse(const std::string& text, SocketAddress& into) {
    // A link-local address names its interface: fe80::1%eth0.
    const std::size_t percent = text.find('%');
    const std::string bare = text.substr(0, percent);
    for (const bool v6 : {false, true}) {
        SocketAddress made;
        made.v6 = v6;
        if (inet_pton(v6 ? AF_INET6 : AF_INET, bare.c_str(), made.address.data()) != 1) continue;
        if (percent != text.npos) made.scope = if_nametoindex(text.c_str() + percent + 1);
        into = made;
        return true;
    }
    return false;
}

}  // namespace

SocketAddress find_address(const std::string& wish) {
    SocketAddress found = loopback();
    if (wish == "loopback" || parse(wish, found)) return found;
    std::string known;
    for (const InterfaceAddress& one : interface_addresses()) {
        if ((wish == "host" ? !one.is_loopback : wish == one.interface) && parse(one.text, found))
            return found;
        if (known.find(one.interface) == known.npos) known += fmt::format(" {}", one.interface);
    }
    throw UsageError(
        fmt::format("RAILYARD_IWARP_ADDRESS: expected an address, an interface (there are:{}), "
                    "'host' or 'loopback', found '{}'",
                    known, wish));
}

Events::Events() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) throw system_error("iwarp: epoll");
}

bool Events::set(int operation, int socket, Watcher& watcher, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = &watcher;
    return epoll_ctl(epoll_.get(), operation, socket, &event) == 0;
}

void Events::forget(const Watcher& watcher) {
    for (std::size_t i = next_; i < count_; ++i)
        if (round_[i].data.ptr == &watcher) round_[i].data.ptr = nullptr;
}

bool Events::serve() {
    const int found = epoll_wait(epoll_.get(), round_.data(), static_cast<int>(round_.size()), 0);
    if (found <= 0) return false;
    count_ = static_cast<std::size_t>(found);
    for (next_ = 0; next_ < count_;) {
        const epoll_event& event = round_[next_++];
        if (event.data.ptr != nullptr) static_cast<Watcher*>(event.data.ptr)->ready(event.events);
    }
    next_ = count_ = 0;
    return true;
}

}  // namespace railyard::iwarp
