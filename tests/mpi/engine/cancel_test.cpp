// Sends that are taken back, however their bytes would have gone and however messages are matched.

#include <gtest/gtest.h>

#include <tuple>

#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

using CancelBy = std::tuple<std::string, Way, Matching>;
class CancelledRendezvous : public testing::TestWithParam<CancelBy> {};

std::string name_of(const testing::TestParamInfo<CancelBy>& info) {
    const auto& [fabric, way, matching] = info.param;
    return test_name(fabric) +
           (way == Way::stream ? "_streams"
            : way == Way::read ? "_reads"
                               : "_writes") +
           (matching == Matching::list ? "_from_lists" : "");
}

INSTANTIATE_TEST_SUITE_P(By, CancelledRendezvous,
                         testing::Combine(testing::Values(real_fabric(), "infiniband-pcie",
                                                          "clan-via"),
                                          testing::Values(Way::stream, Way::read, Way::write),
                                          testing::Values(Matching::list, Matching::hashed)),
                         name_of);

TEST_P(CancelledRendezvous, LeavesNothingBehind) {
    const auto [fabric, way, matching] = GetParam();
    const job::Result result = run_world(
        fabric, 2,
        [](World& w) {
            meet(w);
            constexpr std::size_t n = 300'000;
            const auto data = pattern(n, 1);
            for (int round = 0; round < 20; ++round) {
                if (w.rank() == 1) {
                    w.receive(0, 0, 2);
                    const auto small = w.receive(n, 0, 1);
                    expect(small == pattern(10, 3), "a message that was taken back has come");
                    expect(w.receive(n, 0, 1) == pattern(n, 2), "the next is not as it was sent");
                    expect(w.process.counters().unexpected_now == 0, "something is left");
                    w.send({}, 0, 3);
                    continue;
                }
                Request& send =
                    w.process.start_send(ConstBuffer(data.data(), n, World::bytes()), 1, 1, w.comm);
                w.process.cancel(send);
                w.process.cancel(send);  // once more does no harm
                w.process.wait(send);
                expect(send.status().cancelled, "it was not taken back");
                w.process.release(send);
                w.send(pattern(10, 3), 1, 1);
                w.send({}, 1, 2);
                w.send(pattern(n, 2), 1, 1);
                w.receive(0, 1, 3);
            }
        },
        [way = way, matching = matching](Settings& s) {
            s.bulk = way;
            s.matching = matching;
        });
    EXPECT_TRUE(result.ok) << result.failure;
}

// Who would take a send back may have to ask a rank that is at its end.
TEST_P(CancelledRendezvous, IsAnsweredByARankThatHasNothingLeftToDo) {
    const auto [fabric, way, matching] = GetParam();
    const job::Result result = run_world(
        fabric, 2,
        [](World& w) {
            meet(w);
            if (w.rank() == 1) return;
            w.process.host().compute(Duration::ms(1));
            const auto data = pattern(300'000, 1);
            Request& send = w.process.start_send(
                ConstBuffer(data.data(), data.size(), World::bytes()), 1, 1, w.comm);
            w.process.cancel(send);
            w.process.wait(send);
            expect(send.status().cancelled, "it was not taken back");
            w.process.release(send);
        },
        [way = way, matching = matching](Settings& s) {
            s.bulk = way;
            s.matching = matching;
        });
    EXPECT_TRUE(result.ok) << result.failure;
}

}  // namespace
}  // namespace railyard::mpi
