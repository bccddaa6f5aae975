#pragma once
/// Addresses of hosts: as people write them, as sockets want them, and those of this host.

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"

namespace railyard::tls {

/// "host", "host:port", "[fe80::1]:port"; a bare IPv6 address has no port.
struct HostPort {
    std::string host;  ///< empty: any
    std::uint16_t port = 0;
};
/// Throws UsageError.
HostPort parse_host_port(std::string_view text);

struct SocketAddress {
    sockaddr_storage address{};
    socklen_t length = 0;

    std::string text() const;  ///< "192.0.2.7:4711", "[2001:db8::7]:4711"
};

/// All addresses that a name or a number has. Throws Error if it has none.
std::vector<SocketAddress> resolve(const HostPort& where);

/// Sockets that listen there, at one port; any port if it is 0. Throws Error.
std::vector<Descriptor> listen_at(const HostPort& where);
std::uint16_t port_of(int socket);

/// Where this host can be reached by another, likeliest first: the way to `peer`, unless that is
/// empty or a name that nobody knows; all interfaces; and at last the loopback, for a peer that is
/// this host.
std::vector<std::string> own_addresses(const std::string& peer);

}  // namespace railyard::tls
