// A peer that cannot be reached any more: what needed it ends, with an error.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "mpi/engine/world.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {
namespace {

/// The cable of node 1 breaks, for good.
std::string broken_cable() {
    const auto path = std::filesystem::path(testing::TempDir()) / "lost_peer.toml";
    std::ofstream(path) << "[[fault]]\nwhat = 'link'\nwhere = 'node 1, link 0'\nat = '10 ms'\n";
    return path.string();
}

/// The call that finds out throws; all others find their requests complete, and wait for nothing.
TEST(LostPeer, EndsEveryRequestThatNeedsIt) {
    job::Options options;
    options.fabric = "clan-via";
    options.ranks = 2;
    job::Faults faults{broken_cable(), {}};
    const job::Result result = job::run_with_faults(options, faults, [](job::Rank& rank) {
        run_rank(rank, [](World& w) {
            meet(w);
            w.process.host().compute(Duration::ms(20));
            if (w.rank() == 1) return;
            const auto data = pattern(100'000, 1);
            const ConstBuffer buffer(data.data(), data.size(), World::bytes());
            std::vector<Request*> sends;
            for (int i = 0; i < 40; ++i)
                sends.push_back(&w.process.start_send(buffer, 1, i, w.comm));
            bool lost = false;
            try {
                w.process.wait(*sends[0]);
            } catch (const PeerLost&) {
                lost = true;
            }
            expect(lost, "nobody said that the peer is lost");
            for (Request* send : sends) {
                expect(send->is_complete(), "a send that cannot end");
                expect(send->status().error == ErrorClass::other, "no error");
                w.process.wait(*send);
                w.process.release(*send);
            }
        });
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

// Its connection is the first to make place for others.
TEST(LostPeer, HoldsNoConnectionThatOthersNeed) {
    job::Options options;
    options.fabric = "clan-via";
    options.ranks = 6;
    job::Faults faults{broken_cable(), {}};
    const job::Result result = job::run_with_faults(options, faults, [](job::Rank& rank) {
        run_rank(
            rank,
            [](World& w) {
                if (w.rank() < 2) meet(w);
                w.process.host().compute(Duration::ms(20));
                if (w.rank() == 0) {
                    bool lost = false;
                    try {
                        w.send(pattern(100'000, 1), 1, 1);
                    } catch (const PeerLost&) {
                        lost = true;
                    }
                    expect(lost, "nobody said that the peer is lost");
                }
                for (int other = 2; other < 6; ++other) {
                    if (w.rank() == 0) w.send(pattern(100, 1), other, 2);
                    if (w.rank() == other) w.receive(100, 0, 2);
                }
            },
            [](Settings& s) { s.max_connections = 2; });
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

}  // namespace
}  // namespace railyard::mpi
