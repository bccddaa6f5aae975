/// Two interfaces as two ports, in a network of its own, which has them: each connection goes by
/// the interface that its port is for.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "interconnects/real/ofi/end.hpp"

namespace railyard::ofi {
namespace {

using fabric::ConnectionState;

constexpr const char* second = "10.77.9.1";
constexpr const char* made =
    "ip link set lo up && ip link add two type veth peer name far && "
    "ip address add 10.77.9.1/24 dev two && ip link set two up && ip link set far up";

/// Connections that stand from that address, as the kernel lists them.
std::size_t connections_from(const char* address) {
    const std::string command =
        std::string("ss -Htn state established src ") + address + " 2>/dev/null | wc -l";
    FILE* const list = ::popen(command.c_str(), "r");
    std::size_t count = 0;
    if (list == nullptr || std::fscanf(list, "%zu", &count) != 1) count = 0;
    if (list != nullptr) ::pclose(list);
    return count;
}

/// Writes over that connection, and waits until it is done there.
void expect_moved(hosts::RealHost& host, End& from, End& to) {
    std::vector<std::byte> source(300'000, std::byte{5}), target(source.size());
    const auto local = from.nic().register_memory(source, fabric::Access::local);
    const auto region = to.nic().register_memory(target, fabric::Access::all);
    const auto remote = from.nic().import_region(region->export_blob());
    const fabric::Slice slice(*local, {}, Bytes(source.size()));
    fabric::WorkRequest write;
    write.op = fabric::Op::rdma_write;
    write.flags = fabric::Flags::remote_completion;
    write.local = std::span(&slice, 1);
    write.remote = {remote.get(), {}};
    ASSERT_TRUE(from.queue_pair().post(write).ok());
    fabric::Completion done;
    ASSERT_TRUE(
        host.wait_until([&] { return from.sent().poll(done); }, host.now() + Duration::s(20)));
    EXPECT_EQ(done.status, Code::ok);
    EXPECT_EQ(source, target);
}

/// Runs by itself (see below).
TEST(TwoDomains, DISABLED_ConnectionsGoByThatOfTheirPort) {
    for (const char* provider : {"tcp", "net", "net:rdm", "tcp;ofi_rxm"})
        for (const unsigned port : {0U, 1U}) {
            hosts::RealHost host{{}};
            const std::size_t before = connections_from(second);
            End a(host, provider, {"lo", "two"}, port), b(host, provider, {"lo", "two"}, port);
            const Time soon = host.now() + Duration::s(20);
            ASSERT_TRUE(a.queue_pair().connect_peer(b.nic().address(), 1, {}, soon).ok());
            ASSERT_TRUE(b.queue_pair().connect_peer(a.nic().address(), 1, {}, soon).ok());
            ASSERT_TRUE(host.wait_until(
                [&] {
                    return a.queue_pair().state() == ConnectionState::connected &&
                           b.queue_pair().state() == ConnectionState::connected;
                },
                soon));
            expect_moved(host, a, b);
            expect_moved(host, b, a);
            EXPECT_EQ(connections_from(second) > before, port == 1) << provider;
            // One that waits is woken whatever port it comes by.
            ASSERT_TRUE(b.receives().post({}).ok());
            ASSERT_TRUE(a.queue_pair().post(fabric::WorkRequest{}).ok());
            fabric::Completion done;
            EXPECT_TRUE(host.wait_until([&] { return b.received().poll(done); }, soon,
                                        fabric::Wait::sleep));
            // Both hear of the end before either goes.
            a.queue_pair().close();
            b.queue_pair().close();
            const auto nothing = [] { return false; };
            host.wait_until(nothing, host.now() + Duration::ms(5));
        }
}

TEST(TwoDomains, AreTwoPorts) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "not tried under the thread sanitizer yet";
#endif
    const std::string in_network = std::string("unshare -n sh -c '") + made;
    if (std::system((in_network + "' >/dev/null 2>&1").c_str()) != 0)
        GTEST_SKIP() << "network namespaces with interfaces cannot be made here";
    const std::string command = in_network +
                                " && exec timeout 60 \"$0\" --gtest_also_run_disabled_tests "
                                "--gtest_brief=1 --gtest_filter=TwoDomains.DISABLED_*' /proc/" +
                                std::to_string(::getpid()) + "/exe 2>&1";
    FILE* const started = ::popen(command.c_str(), "r");
    ASSERT_NE(started, nullptr);
    std::string said;
    std::array<char, 512> part;
    while (std::fgets(part.data(), part.size(), started) != nullptr)
        said += part.data();
    EXPECT_EQ(::pclose(started), 0) << said;
}

}  // namespace
}  // namespace railyard::ofi
