// Addresses: as the kernel, people and settings write them.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <cstring>
#include <memory>

#include "interconnects/real/iwarp/socket.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp {

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

/// The addresses of this host's interfaces that are up. Those of family 4 come first.
template <class Visit>
void each_address(const Visit& visit) {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) throw system_error("iwarp: the interfaces of this host");
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(list, freeifaddrs);
    for (const int family : {AF_INET, AF_INET6})
        for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
            if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != family) continue;
            if ((entry->ifa_flags & IFF_UP) == 0) continue;
            sockaddr_storage storage{};
            std::memcpy(&storage, entry->ifa_addr,
                        family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
            if (visit(*entry, SocketAddress::from_raw(storage))) return;
        }
}

}  // namespace

SocketAddress find_address(const std::string& wish) {
    SocketAddress found = loopback();
    if (wish == "loopback" || parse(wish, found)) return found;
    bool any = false;
    std::string known;
    each_address([&](const ifaddrs& entry, const SocketAddress& address) {
        const bool right =
            wish == "host" ? (entry.ifa_flags & IFF_LOOPBACK) == 0 : wish == entry.ifa_name;
        if (right) found = address;
        if (known.find(entry.ifa_name) == known.npos) known += fmt::format(" {}", entry.ifa_name);
        return any = right;
    });
    if (any) return found;
    throw UsageError(
        fmt::format("RAILYARD_IWARP_ADDRESS: expected an address, an interface (there are:{}), "
                    "'host' or 'loopback', found '{}'",
                    known, wish));
}

}  // namespace railyard::iwarp
