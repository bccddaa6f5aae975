#include "launch/tls/addresses.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/network.hpp"
#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::tls {

namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

AddressList look_up(const std::string& host, std::uint16_t port, int flags, int& failure) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* list = nullptr;
    failure = ::getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(),
                            &hints, &list);
    return {failure == 0 ? list : nullptr, ::freeaddrinfo};
}

SocketAddress endpoint_of(const sockaddr* address, socklen_t length) {
    SocketAddress found;
    std::memcpy(&found.address, address, length);
    found.length = length;
    return found;
}

/// Without the port.
std::string host_text(const sockaddr* address, socklen_t length) {
    char host[NI_MAXHOST] = "?";
    ::getnameinfo(address, length, host, sizeof host, nullptr, 0, NI_NUMERICHOST);
    return host;
}

Descriptor listen_on(const addrinfo& at, std::uint16_t port) {
    Descriptor socket(::socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return {};
    const int on = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    // IPv4 has a socket of its own, so that a host without IPv6 needs no other care.
    if (at.ai_family == AF_INET6)
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    SocketAddress where = endpoint_of(at.ai_addr, at.ai_addrlen);
    auto& number = at.ai_family == AF_INET6
                       ? reinterpret_cast<sockaddr_in6&>(where.address).sin6_port
                       : reinterpret_cast<sockaddr_in&>(where.address).sin_port;
    number = htons(port);
    if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&where.address), where.length) != 0 ||
        ::listen(socket.get(), SOMAXCONN) != 0)
        return {};
    return socket;
}

/// Our own address on the way to that one; nothing is sent.
std::string way_to(const SocketAddress& peer) {
    const Descriptor socket(::socket(peer.address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&peer.address), peer.length) !=
            0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &length) != 0)
        return {};
    return host_text(reinterpret_cast<sockaddr*>(&own), length);
}

}  // namespace

HostPort parse_host_port(std::string_view text) {
    const auto found = split_host(text);
    HostPort where;
    if (!found || (found->number && !parse_into(where.port, *found->number)))
        throw UsageError(fmt::format(
            "expected an address such as 192.0.2.7, node7:4711 or [2001:db8::7]:4711, found '{}'",
            text));
    where.host = found->host;
    return where;
}

std::string SocketAddress::text() const {
    const auto* plain = reinterpret_cast<const sockaddr*>(&address);
    const std::string host = host_text(plain, length);
    const bool six = address.ss_family == AF_INET6;
    const auto port = ntohs(six ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                : reinterpret_cast<const sockaddr_in&>(address).sin_port);
    return fmt::format("{}{}{}:{}", six ? "[" : "", host, six ? "]" : "", port);
}

std::vector<SocketAddress> resolve(const HostPort& where) {
    int failure = 0;
    const AddressList list = look_up(where.host, where.port, 0, failure);
    if (!list)
        throw Error(
            fmt::format("cannot find the host '{}': {}", where.host, ::gai_strerror(failure)));
    std::vector<SocketAddress> all;
    for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next)
        all.push_back(endpoint_of(at->ai_addr, at->ai_addrlen));
    return all;
}

std::vector<Descriptor> listen_at(const HostPort& where) {
    int failure = 0;
    const AddressList list = look_up(where.host, where.port, AI_PASSIVE, failure);
    std::vector<Descriptor> sockets;
    std::uint16_t port = where.port;
    for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next) {
        Descriptor socket = listen_on(*at, port);
        if (!socket) continue;
        port = port_of(socket.get());
        sockets.push_back(std::move(socket));
    }
    if (sockets.empty())
        throw Error(fmt::format(
            "cannot listen at {}{}{}: {}", where.host.empty() ? "any address" : where.host,
            where.port != 0 ? ", port " : "", where.port != 0 ? std::to_string(where.port) : "",
            failure != 0 ? ::gai_strerror(failure) : ::strerror(errno)));
    return sockets;
}

std::uint16_t port_of(int socket) {
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) != 0) return 0;
    return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(own).sin6_port
                                           : reinterpret_cast<sockaddr_in&>(own).sin_port);
}

std::vector<std::string> own_addresses(const std::string& peer) {
    std::vector<std::string> all;
    const auto add = [&](const std::string& address) {
        if (!address.empty() && std::ranges::find(all, address) == all.end())
            all.push_back(address);
    };
    int failure = 0;
    // Any port will do to ask for the way.
    const AddressList list =
        peer.empty() ? AddressList(nullptr, ::freeaddrinfo) : look_up(peer, 9, 0, failure);
    for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next)
        add(way_to(endpoint_of(at->ai_addr, at->ai_addrlen)));
    const std::vector<InterfaceAddress> interfaces = interface_addresses();
    for (const bool loopback : {false, true})
        for (const InterfaceAddress& one : interfaces)
            if (one.is_loopback == loopback && !one.is_link_local) add(one.text);
    return all;
}

}  // namespace railyard::tls
