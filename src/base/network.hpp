#pragma once
/// What sockets between hosts need to know: the addresses of this host, and whether the other end
/// is still there.

#include <string>
#include <vector>

#include "railyard/base/time.hpp"

namespace railyard {

/// An address of an interface that is up.
struct InterfaceAddress {
    std::string interface;  ///< eth0
    std::string text;       ///< 192.0.2.7, 2001:db8::7, fe80::1%eth0
    bool is_loopback = false;
    bool is_link_local = false;  ///< means nothing on the interfaces of another host
};

/// Of this host, those of IPv4 first. Throws Error if the kernel does not tell.
std::vector<InterfaceAddress> interface_addresses();

/// The kernels ask each other when nothing is said: a socket whose other end is silent for so long
/// breaks. A process that is merely stopped is not silent.
void keep_alive(int socket, Duration heartbeat);

}  // namespace railyard
