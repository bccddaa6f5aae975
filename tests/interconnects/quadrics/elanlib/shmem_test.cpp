// Put, get and wait, and libraries side by side: LB-1, LB-3.

#include "interconnects/quadrics/elanlib/shmem.hpp"

#include <gmock/gmock.h>

#include "interconnects/quadrics/elan3/cluster.hpp"
#include "interconnects/quadrics/elanlib/tport.hpp"

namespace railyard::elanlib {
namespace {

using namespace railyard::literals;
using elan3::Cluster;
using elan3::pattern;
using elan3::Process;

TEST(Shmem, HasOneAddressForAll) {
    Cluster cluster(4);
    std::vector<Address> data;
    cluster.run([&](Process& process) {
        Shmem shmem(process);
        data.push_back(shmem.allocate(100));
        data.push_back(shmem.allocate(10'000));
    });
    for (std::size_t i = 2; i < data.size(); ++i)
        EXPECT_EQ(data[i], data[i - 2]);
}

// A ring: each puts to the next, and waits for its own word.
TEST(Shmem, PutsAndWaits) {
    Cluster cluster(4);
    int done = 0;
    cluster.run([&](Process& process) {
        Shmem shmem(process);
        const Address data = shmem.allocate(3000);
        const Address flag = shmem.allocate(4);
        const Address mine = shmem.allocate(3000);
        const Address one = shmem.allocate(4);
        process.store(mine, pattern(3000, process.self()));
        process.put_value(one, std::uint32_t{1});
        process.engine().sleep_until(Time::at(100_us));
        const Vpid next = (process.self() + 1) % 4;
        EXPECT_TRUE(shmem.put(next, mine, data, 3000).ok());
        EXPECT_TRUE(shmem.put(next, one, flag, 4).ok());
        shmem.wait(flag, 1);
        std::vector<std::byte> bytes(3000);
        process.load(data, bytes);
        EXPECT_EQ(bytes, pattern(3000, (process.self() + 3) % 4));
        ++done;
        process.engine().sleep_until(Time::at(1_ms));
    });
    EXPECT_EQ(done, 4);
}

TEST(Shmem, GetsAndIsQuiet) {
    Cluster cluster(2);
    cluster.run([&](Process& process) {
        Shmem shmem(process);
        const Address data = shmem.allocate(4096);
        const Address mine = shmem.allocate(4096);
        process.store(process.self() == 0 ? mine : data, pattern(4096, process.self()));
        process.engine().sleep_until(Time::at(100_us));
        if (process.self() == 0) {
            EXPECT_TRUE(shmem.get(1, data, data, 4096).ok());
            std::vector<std::byte> bytes(4096);
            process.load(data, bytes);
            EXPECT_EQ(bytes, pattern(4096, 1));
            for (std::uint32_t i = 0; i < 8; ++i)
                shmem.start_put(1, mine + 512 * i, data + 512 * i, 512);
            EXPECT_TRUE(shmem.quiet().ok());
        }
        process.engine().sleep_until(Time::at(1_ms));
        if (process.self() == 1) {
            std::vector<std::byte> bytes(4096);
            process.load(data, bytes);
            EXPECT_EQ(bytes, pattern(4096, 0));
        }
    });
}

// LB-1: a job on Tports and one on Elan3lib on the same adapters, each undisturbed by the other.
TEST(Shmem, LevelsRunSideBySide) {
    Cluster cluster(2);
    const auto other = cluster.machine.add_job({0, 1});
    int done = 0;
    for (Vpid vpid = 0; vpid < 2; ++vpid)
        cluster.engine.spawn("shmem", [&, vpid] {
            Process process(cluster.machine, other, vpid);
            Shmem shmem(process);
            const Address data = shmem.allocate(1 << 16);
            process.engine().sleep_until(Time::at(100_us));
            if (vpid == 0) {
                EXPECT_TRUE(shmem.put(1, data, data, 1 << 16).ok());
            }
            process.engine().sleep_until(Time::at(2_ms));
            ++done;
        });
    cluster.run([&](Process& process) {
        Tport port(process);
        const Address buffer = process.allocate(elan3::Home::main, 64);
        process.store(buffer, pattern(64, process.self()));
        process.engine().sleep_until(Time::at(100_us));
        for (int i = 0; i < 10; ++i) {
            if (process.self() == 0) {
                EXPECT_TRUE(port.send(1, 1, buffer, 64).ok());
            } else {
                EXPECT_TRUE(port.receive({0, 1}, buffer, 64).status.ok());
            }
        }
        process.engine().sleep_until(Time::at(2_ms));
        ++done;
    });
    EXPECT_EQ(done, 4);
}

}  // namespace
}  // namespace railyard::elanlib
