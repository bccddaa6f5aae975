/// What only this fabric does: settings, families of addresses, a thread of its own, and how much
/// many connections take.

#include <malloc.h>

#include <thread>

#include "interconnects/real/iwarp/nics.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp {
namespace {

using fabric::ConnectionState;
using testing::Station;

Settings listening_at(const std::string& address) {
    Settings settings;
    settings.address = address;
    return settings;
}

TEST(IwarpFabric, ListensAtTheLoopbackUnlessTold) {
    hosts::RealHost host({});
    Station station(host, {});
    EXPECT_EQ(station.name().at.text(), "127.0.0.1:" + std::to_string(station.name().at.port));
}

TEST(IwarpFabric, SpeaksBothFamilies) {
    hosts::RealHost host({.shares_core = true});
    for (const char* address : {"127.0.0.1", "::1"}) {
        std::optional<Station> a, b;
        try {
            a.emplace(host, listening_at(address));
            b.emplace(host, listening_at(address));
        } catch (const Error& error) {
            continue;  // no such family in this container
        }
        auto [from, to] = testing::connect(*a, *b);
        testing::expect_alive(*a, from, to);
    }
}

TEST(IwarpFabric, TakesTheNameOfAnInterface) {
    EXPECT_EQ(find_address("lo"), find_address("loopback"));
    try {
        find_address("no-such-interface");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("lo"), std::string::npos) << error.what();
    }
}

TEST(IwarpFabric, ListensInARangeOfPorts) {
    hosts::RealHost host({});
    Settings settings;
    std::optional<Station> any(std::in_place, host, settings);
    const std::uint16_t taken = any->name().at.port;
    if (taken > 65000) GTEST_SKIP() << "no ports above " << taken;
    settings.ports = {taken, static_cast<std::uint16_t>(taken + 50)};
    Station next(host, settings);
    EXPECT_GT(next.name().at.port, taken);
    EXPECT_LE(next.name().at.port, taken + 50);
    settings.ports = {taken, taken};
    EXPECT_THROW(Station(host, settings), Error);
}

TEST(IwarpFabric, WrongVariablesAreNamed) {
    for (const auto& [variable, value] :
         {std::pair{"RAILYARD_IWARP_CRC", "perhaps"}, std::pair{"RAILYARD_IWARP_PORTS", "9-5"},
          std::pair{"RAILYARD_IWARP_PROGRESS", "magic"}, std::pair{"RAILYARD_IWARP_IRD", "0"}}) {
        setenv(variable, value, 1);
        try {
            settings_from_environment();
            ADD_FAILURE() << variable;
        } catch (const UsageError& error) {
            EXPECT_NE(std::string(error.what()).find(variable), std::string::npos);
            EXPECT_NE(std::string(error.what()).find(value), std::string::npos);
        }
        unsetenv(variable);
    }
    EXPECT_TRUE(settings_from_environment().crc);
}

/// The target does nothing but look at its memory.
TEST(IwarpFabric, AThreadPlacesWritesWhileNobodyPolls) {
    for (const bool crc : {true, false}) {
        hosts::RealHost host({.shares_core = true});
        Settings settings;
        settings.crc = crc;
        Settings threaded = settings;
        threaded.progress_thread = true;
        Station a(host, settings, 100'000), b(host, threaded, 100'000);
        EXPECT_EQ(b.nic().traits().progress, fabric::Progress::thread);
        auto [from, to] = testing::connect(a, b);
        const auto remote = a.nic().import_region(b.region().export_blob());
        for (const std::size_t n : {8, 5000, 100'000}) {
            std::ranges::fill(a.region().span(), static_cast<std::byte>(n % 251 + 1));
            const std::byte expected = a.region().span()[0];
            const fabric::Slice slice(a.region(), Bytes(0), Bytes(n));
            fabric::WorkRequest write;
            write.op = fabric::Op::rdma_write;
            write.local = std::span(&slice, 1);
            write.remote = {remote.get(), Bytes()};
            ASSERT_TRUE(from.queue_pair->post(write).ok());
            const Time until = a.until();
            while (!fabric::arrived(&b.region().span()[n - 1], expected) && host.now() < until) {
                a.nic().progress();  // the sender's side; the target's thread does the rest
                std::this_thread::yield();
            }
            EXPECT_TRUE(std::ranges::all_of(b.region().span().first(n),
                                            [&](std::byte v) { return v == expected; }));
        }
    }
}

/// What it takes came long ago, so no socket will say anything of it.
TEST(IwarpFabric, AReceivePostedBeforeASleepEndsIt) {
    hosts::RealHost host({.shares_core = true});
    Station a(host, {}), b(host, {});
    auto [from, to] = testing::connect(a, b);
    fabric::Completion done;
    for (int message = 0; message < 2; ++message) {
        ASSERT_TRUE(from.queue_pair->post(fabric::WorkRequest{}).ok());
        ASSERT_TRUE(host.wait_until([&] { return from.sent->poll(done); }, a.until()));
    }
    ASSERT_TRUE(to.receives->post({1, {}}).ok());
    ASSERT_TRUE(host.wait_until([&] { return to.received->poll(done); }, b.until()));
    host.progress();  // all that there is to be told has been told
    const auto ticket = host.prepare_wait();
    ASSERT_TRUE(to.receives->post({2, {}}).ok());
    EXPECT_TRUE(host.wait(ticket, host.now() + Duration::s(2), fabric::Wait::spin_then_sleep));
    EXPECT_TRUE(to.received->poll(done));
    EXPECT_EQ(done.id, 2u);
}

TEST(IwarpFabric, AThousandConnections) {
    constexpr std::size_t count = 1000;
    hosts::RealHost host({.shares_core = true});
    Station a(host, {}), b(host, {});
    std::vector<Station::End> here, there;
    for (std::size_t i = 0; i < count; ++i) {
        here.push_back(a.make_end(2));
        there.push_back(b.make_end(2));
    }
    [[maybe_unused]] const auto before = mallinfo2();  // sanitizers have their own malloc
    for (std::size_t i = 0; i < count; ++i) {
        ASSERT_TRUE(here[i].queue_pair->connect_peer(b.nic().address(), i, {}, a.until()).ok());
        ASSERT_TRUE(there[i].queue_pair->connect_peer(a.nic().address(), i, {}, a.until()).ok());
    }
    for (std::size_t i = 0; i < count; ++i) {
        ASSERT_TRUE(a.wait_for(here[i], ConnectionState::connected)) << i;
        ASSERT_TRUE(b.wait_for(there[i], ConnectionState::connected)) << i;
    }
    for (std::size_t i = 0; i < count; i += 37)
        testing::expect_alive(a, here[i], there[i]);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    // Each connection has two ends here. What a queue pair and its queues take is the user's.
    const auto after = mallinfo2();
    const std::size_t taken = (after.uordblks + after.hblkhd) - (before.uordblks + before.hblkhd);
    EXPECT_LE(taken / (2 * count), 16u << 10);
#endif
}

}  // namespace
}  // namespace railyard::iwarp
