// Where the fabric inside a node ends there, MPI takes the one that the rank names for other nodes,
// whoever started the ranks.
#include "mpi/engine/netmod.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "launch/job/fabrics.hpp"
#include "launch/job/join.hpp"
#include "launch/job/map_bootstrap.hpp"
#include "launch/job/rank.hpp"
#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

/// Everybody sends to everybody, short and long.
void send_to_all(World& w) {
    for (const std::size_t size : {std::size_t{8}, std::size_t{200'000}})
        for (int shift = 1; shift < w.size(); ++shift) {
            const int to = (w.rank() + shift) % w.size();
            const int from = (w.rank() + w.size() - shift) % w.size();
            std::vector<std::byte> got(size);
            Request& receive =
                w.process.start_receive({got.data(), got.size(), &World::bytes()}, from, 1, w.comm);
            w.send(pattern(size, static_cast<unsigned>(w.rank())), to, 1);
            w.process.wait(receive);
            w.process.release(receive);
            EXPECT_EQ(got, pattern(size, static_cast<unsigned>(from)));
        }
}

TEST(Netmod, RanksOfAnotherProcessManagerMeetOnBothFabrics) {
    job::testing::MapManager manager({0, 0, 1});
    const std::string fabrics = job::FabricPair::for_hosts("shm").text();
    const auto run = [&](int id) {
        const auto rank = job::join_by(manager.bootstrap(id), fabrics, true);
        const job::BoundRank bound(*rank);
        run_rank(*rank, send_to_all);
    };
    std::vector<std::thread> others;
    for (const int id : {1, 2})
        others.emplace_back(run, id);
    run(0);
    for (std::thread& other : others)
        other.join();
    EXPECT_EQ(manager.left().size(), 3U);
}

}  // namespace
}  // namespace railyard::mpi
