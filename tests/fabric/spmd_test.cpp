/// The suite's own footing: what a rank finds wrong reaches whoever runs the tests.

#include <gmock/gmock.h>

#include "fabric/team.hpp"

namespace railyard::contract {
namespace {

using testing::HasSubstr;
using namespace railyard::literals;

class Spmd : public Contract {};

TEST_P(Spmd, a_check_that_does_not_hold_fails_the_job) {
    const JobResult result =
        railyard::run(options(2), [](Rank& rank) { check_equal(rank.id(), 0, "the rank"); });
    EXPECT_FALSE(result.ok);
    EXPECT_THAT(result.failure, HasSubstr("spmd_test.cpp:"));
    EXPECT_THAT(result.failure, HasSubstr("the rank: expected 0, found 1"));
}

TEST_P(Spmd, what_never_comes_fails_the_job) {
    const JobResult result = railyard::run(options(1), [](Rank& rank) {
        const bool came = rank.host().wait_until([] { return false; }, rank.host().now() + 20_ms);
        check(came, "it came");
    });
    EXPECT_FALSE(result.ok);
    EXPECT_THAT(result.failure, HasSubstr("it came"));
}

TEST_P(Spmd, ranks_meet_and_exchange) {
    run(4, [](Team& team) {
        for (int turn = 0; turn < 10; ++turn) {
            const std::vector<int> all = team.gather(100 * turn + team.id());
            for (int rank = 0; rank < team.size(); ++rank)
                check_equal(all[static_cast<std::size_t>(rank)], 100 * turn + rank, "a value");
        }
    });
}

TEST(SpmdShow, values_as_people_read_them) {
    EXPECT_EQ(show(Status(Code::bad_key)), "'bad key'");
    EXPECT_EQ(show(std::byte{0x0f}), "0x0f");
    EXPECT_EQ(show(4_KiB), "4096 B");
    EXPECT_EQ(show(fabric::ConnectionState::failed), "failed");
    EXPECT_EQ(show(true), "true");
    EXPECT_EQ(show(std::string_view("x")), "\"x\"");
}

RAILYARD_CONTRACT(Spmd);

}  // namespace
}  // namespace railyard::contract
