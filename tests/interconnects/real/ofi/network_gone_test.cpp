/// A network that goes while nobody sends: a pulled cable, an interface that is taken down, an
/// address that is taken away. Each in a network of its own, where it hurts nobody else.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "interconnects/real/ofi/end.hpp"

namespace railyard::ofi {
namespace {

using fabric::ConnectionState;

bool run(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

struct Fault {
    const char* name;
    const char* command;
};
constexpr std::array faults = {
    // Packets that are longer than the bucket never leave.
    Fault{"cable", "tc qdisc add dev lo root tbf rate 8bit burst 1 latency 1ms"},
    Fault{"interface", "ip link set lo down"},
    Fault{"address", "ip address delete 127.0.0.1/8 dev lo"},
};

struct Pair {
    Pair(hosts::RealHost& host, const char* provider) : a(host, provider), b(host, provider) {}
    bool is(ConnectionState state) {
        return a.queue_pair().state() == state && b.queue_pair().state() == state;
    }
    End a, b;
};

/// Runs by itself, in a network of its own (see below): connections over all providers, and none
/// has anything to say.
TEST(NetworkOfItsOwn, DISABLED_IdleConnectionsEnd) {
    const char* const fault = std::getenv("RAILYARD_TEST_FAULT");
    ASSERT_NE(fault, nullptr);
    hosts::RealHost host{{}};
    std::vector<std::unique_ptr<Pair>> pairs;
    const auto all = [&](ConnectionState state, Duration within) {
        return host.wait_until(
            [&] { return std::ranges::all_of(pairs, [&](auto& pair) { return pair->is(state); }); },
            host.now() + within);
    };
    for (const char* provider : {"tcp", "net", "net:rdm", "tcp;ofi_rxm"}) {
        pairs.push_back(std::make_unique<Pair>(host, provider));
        Pair& pair = *pairs.back();
        const Time soon = host.now() + Duration::s(20);
        ASSERT_TRUE(pair.a.queue_pair().connect_peer(pair.b.nic().address(), 1, {}, soon).ok());
        ASSERT_TRUE(pair.b.queue_pair().connect_peer(pair.a.nic().address(), 1, {}, soon).ok());
    }
    ASSERT_TRUE(all(ConnectionState::connected, Duration::s(20)));
    // Longer than the patience: nobody is taken for dead who only says nothing.
    EXPECT_FALSE(all(ConnectionState::failed, Duration::ms(1300)));
    ASSERT_TRUE(all(ConnectionState::connected, Duration::s(1)));
    ASSERT_TRUE(run(fault));
    EXPECT_TRUE(all(ConnectionState::failed, Duration::s(20)));
    for (const auto& pair : pairs)
        EXPECT_EQ(pair->a.queue_pair().reason(), Code::remote_closed);
}

TEST(NetworkOfItsOwn, EndsIdleConnectionsWhenItGoes) {
    if (!run("unshare -n ip link set lo up"))
        GTEST_SKIP() << "network namespaces cannot be made here";
    std::array<FILE*, faults.size()> started{};
    for (std::size_t i = 0; i < faults.size(); ++i) {
        const std::string command =
            std::string("RAILYARD_OFI_PATIENCE='1 s' RAILYARD_TEST_FAULT='") + faults[i].command +
            "' unshare -n sh -c 'ip link set lo up && exec timeout 60 \"$0\" "
            "--gtest_also_run_disabled_tests --gtest_brief=1 "
            "--gtest_filter=NetworkOfItsOwn.DISABLED_*' /proc/" +
            std::to_string(::getpid()) + "/exe 2>&1";
        started[i] = ::popen(command.c_str(), "r");
        ASSERT_NE(started[i], nullptr);
    }
    for (std::size_t i = 0; i < faults.size(); ++i) {
        std::string said;
        std::array<char, 512> part;
        while (std::fgets(part.data(), part.size(), started[i]) != nullptr)
            said += part.data();
        EXPECT_EQ(::pclose(started[i]), 0) << faults[i].name << ": " << said;
    }
}

}  // namespace
}  // namespace railyard::ofi
