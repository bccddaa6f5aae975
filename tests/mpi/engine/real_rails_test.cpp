// Rails on a fabric that is there: what RAILYARD_TEST_FABRIC names, with the ports that it has.

#include <gtest/gtest.h>

#include "mpi/engine/world.hpp"
#include "mpi/real_fabric.hpp"

namespace railyard::mpi {
namespace {

/// Run where there are several ports (tests/CMakeLists.txt): large messages are soon cut over all
/// of them, in both directions, and come whole.
TEST(RealRails, DISABLED_LargeMessagesAreCut) {
    const auto body = [](World& w) {
        const unsigned ports = w.process.rank().nic().traits().ports;
        expect(ports >= 2, "there is one port");
        const Time until = w.process.host().now() + Duration::s(60);
        for (unsigned i = 0;; ++i) {
            const Counters& counters = w.process.counters();
            const bool is_cut = counters.stripes > 0 && counters.queue_pairs == ports;
            auto ours = pattern(200'000 + i, i);
            ours[0] = std::byte{is_cut};
            const int peer = 1 - w.rank();
            if (w.rank() == 0) w.send(ours, peer, 1);
            const auto theirs = w.receive(ours.size(), peer, 1);
            if (w.rank() == 1) w.send(ours, peer, 1);
            auto expected = pattern(ours.size(), i);
            expected[0] = theirs[0];
            expect(theirs == expected, "wrong bytes");
            if (is_cut && theirs[0] == std::byte{1}) return;
            expect(w.process.host().now() < until, "nothing is cut");
        }
    };
    for (const Way way : {Way::read, Way::write}) {
        const job::Result result =
            run_world(real_fabric(), 2, body, [&](Settings& s) { s.bulk = way; });
        EXPECT_TRUE(result.ok) << result.failure;
    }
}

}  // namespace
}  // namespace railyard::mpi
