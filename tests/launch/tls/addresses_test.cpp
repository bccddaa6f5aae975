#include "launch/tls/addresses.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "railyard/base/error.hpp"

namespace railyard::tls {
namespace {

void expect(std::string_view text, const std::string& host, int port) {
    const HostPort found = parse_host_port(text);
    EXPECT_EQ(found.host, host) << text;
    EXPECT_EQ(found.port, port) << text;
}

TEST(SocketAddress, IsWrittenInManyWays) {
    expect("node7", "node7", 0);
    expect("node7:4711", "node7", 4711);
    expect("192.0.2.7:80", "192.0.2.7", 80);
    expect("2001:db8::7", "2001:db8::7", 0);
    expect("[2001:db8::7]", "2001:db8::7", 0);
    expect("[2001:db8::7]:4711", "2001:db8::7", 4711);
    expect(":4711", "", 4711);
    for (const char* wrong : {"node7:port", "node7:", "[::1", "[::1]x80", "node7:65536"})
        EXPECT_THROW(parse_host_port(wrong), UsageError) << wrong;
}

TEST(SocketAddress, NamesAreFoundOrComplainedOf) {
    EXPECT_EQ(resolve({"127.0.0.1", 80}).front().text(), "127.0.0.1:80");
    EXPECT_EQ(resolve({"::1", 80}).front().text(), "[::1]:80");
    EXPECT_THROW(resolve({"no-such-host.invalid", 80}), Error);
}

TEST(SocketAddress, OfThisHostHasTheWayToThePeerFirst) {
    EXPECT_EQ(own_addresses("127.0.0.1").front(), "127.0.0.1");
    const auto all = own_addresses("no-such-host.invalid");
    EXPECT_NE(std::ranges::find(all, "127.0.0.1"), all.end());
}

TEST(SocketAddress, AListenerHasOnePort) {
    const auto sockets = listen_at({});
    ASSERT_FALSE(sockets.empty());
    for (const Descriptor& socket : sockets)
        EXPECT_EQ(port_of(socket.get()), port_of(sockets.front().get()));
    EXPECT_THROW(listen_at({"192.0.2.1", 0}), Error);
}

}  // namespace
}  // namespace railyard::tls
