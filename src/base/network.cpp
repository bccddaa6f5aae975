#include "base/network.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>

#include "railyard/base/error.hpp"

namespace railyard {

namespace {

bool is_link_local(const sockaddr& address) {
    return address.sa_family == AF_INET6 &&
           IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

}  // namespace

std::vector<InterfaceAddress> interface_addresses() {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) throw system_error("the interfaces of this host");
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(list, ::freeifaddrs);
    std::vector<InterfaceAddress> all;
    for (const int family : {AF_INET, AF_INET6})
        for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
            if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != family ||
                (at->ifa_flags & IFF_UP) == 0)
                continue;
            char text[NI_MAXHOST] = "?";
            ::getnameinfo(at->ifa_addr,
                          family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6), text,
                          sizeof text, nullptr, 0, NI_NUMERICHOST);
            all.push_back({at->ifa_name, text, (at->ifa_flags & IFF_LOOPBACK) != 0,
                           is_link_local(*at->ifa_addr)});
        }
    return all;
}

void keep_alive(int socket, Duration heartbeat) {
    const auto set = [&](int level, int option, int value) {
        ::setsockopt(socket, level, option, &value, sizeof value);
    };
    // Three questions without an answer, and the first after as long a silence.
    constexpr int questions = 3;
    constexpr double longest = 32'000;  // seconds; the kernel takes not much more
    const double time = std::clamp(heartbeat.seconds(), 0.001, longest);
    const int seconds = std::max(1, static_cast<int>(time) / (questions + 1));
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, seconds);
    set(IPPROTO_TCP, TCP_KEEPINTVL, seconds);
    set(IPPROTO_TCP, TCP_KEEPCNT, questions);
}

}  // namespace railyard
