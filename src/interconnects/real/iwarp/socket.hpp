#pragma once
/// TCP sockets as iWARP uses them: addresses of both families, listening in a range of ports,
/// connecting without waiting, and the options that every connection gets.

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/descriptor.hpp"
#include "interconnects/real/iwarp/settings.hpp"
#include "railyard/base/time.hpp"

namespace railyard::iwarp {

/// An address and port of either family.
struct SocketAddress {
    bool v6 = false;
    std::uint16_t port = 0;
    std::uint32_t scope = 0;              ///< v6, link-local: which interface
    std::array<std::byte, 16> address{};  ///< v4: the first four

    struct Raw {
        sockaddr_storage storage{};
        socklen_t size = 0;
        const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    };
    Raw raw() const;
    static SocketAddress from_raw(const sockaddr_storage& storage);
    std::string text() const;  ///< "[::1]:4791"
    friend bool operator==(const SocketAddress&, const SocketAddress&) = default;
};

/// What Settings::address stands for on this host, without a port. Throws UsageError.
SocketAddress find_address(const std::string& wish);

/// Listens at `at`, whose port it sets. Throws Error.
Descriptor listen_at(SocketAddress& at, PortRange ports);

/// Begins to connect, from the address of `from`. Nothing if it failed on the spot.
Descriptor begin_connect(const SocketAddress& from, const SocketAddress& to);

/// The next connection of a listening socket; nothing if none waits. `failed` says that one does
/// but there are no descriptors left.
Descriptor accept_next(int listener, SocketAddress& from, bool& failed);

/// No delay, and the kernel looks whether the other host is alive.
void set_options(int socket, Duration patience);

/// Whether the other host has acknowledged everything, and how long ago it last did.
struct Acknowledged {
    bool all = true;
    Duration silence;
};
Acknowledged acknowledged(int socket);

/// The size of a TCP segment on this connection.
std::size_t segment_size(int socket);

/// Lets this process have as many descriptors as it may: a connection needs one.
void raise_descriptor_limit();

}  // namespace railyard::iwarp
