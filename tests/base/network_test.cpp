#include "base/network.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/descriptor.hpp"

namespace railyard {
namespace {

TEST(Network, TheLoopbackIsAmongTheAddresses) {
    const auto all = interface_addresses();
    const auto lo = std::ranges::find(all, "127.0.0.1", &InterfaceAddress::text);
    if (lo == all.end()) GTEST_SKIP() << "the loopback is down here";
    EXPECT_TRUE(lo->is_loopback);
    EXPECT_FALSE(lo->is_link_local);
    EXPECT_FALSE(lo->interface.empty());
}

TEST(Network, AddressesOfIpv4ComeFirst) {
    const auto all = interface_addresses();
    EXPECT_TRUE(std::ranges::is_partitioned(
        all, [](const InterfaceAddress& one) { return one.text.find(':') == one.text.npos; }));
}

TEST(Network, ASilentPeerIsGivenUpInTheTimeAsked) {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
    keep_alive(socket.get(), Duration::s(8));
    const auto option = [&](int level, int name) {
        int value = 0;
        socklen_t size = sizeof value;
        EXPECT_EQ(::getsockopt(socket.get(), level, name, &value, &size), 0);
        return value;
    };
    EXPECT_NE(option(SOL_SOCKET, SO_KEEPALIVE), 0);
    EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE) +
                  option(IPPROTO_TCP, TCP_KEEPCNT) * option(IPPROTO_TCP, TCP_KEEPINTVL),
              8);
}

}  // namespace
}  // namespace railyard
