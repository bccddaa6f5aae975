// What only a job of fibers has: virtual time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "helpers.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FiberJob, AllRanksHaveOneClock) {
    const Result result = run(options(Kind::fibers, 3), [](Rank& rank) {
        rank.host().compute(Duration::us(10) * (rank.id() + 1));
        rank.bootstrap().fence();
        rank.deliver(
            fmt::format("{} at {} ps", rank.id(), rank.host().now().since_start().picoseconds()));
    });
    EXPECT_TRUE(result.ok) << result.failure;
    // Whoever comes last goes on first, for nobody has to wake it.
    EXPECT_THAT(result.delivered,
                ElementsAre("2 at 30000000 ps", "0 at 30000000 ps", "1 at 30000000 ps"));
}

TEST(FiberJob, AnExchangeTakesNoVirtualTime) {
    const Result result = run(options(Kind::fibers, 2), [](Rank& rank) {
        rank.bootstrap().put("key", bytes("value"));
        rank.bootstrap().get(1 - rank.id(), "key");
        if (rank.host().now() != Time()) throw Error("time has passed");
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST(FiberJob, RanksShareWhatIsTheSameForAll) {
    int made = 0;
    std::vector<const int*> seen;
    const Result result = run(options(Kind::fibers, 3), [&](Rank& rank) {
        const auto make = [&made] { return std::make_shared<const int>(++made); };
        seen.push_back(rank.common<int>("one", make).get());
        rank.bootstrap().fence();
        if (*rank.common<int>("one", make) != 1) throw Error("it was made anew");
        if (*rank.common<int>("other", make) != 2) throw Error("it is not another");
    });
    EXPECT_TRUE(result.ok) << result.failure;
    EXPECT_EQ(made, 2);
    EXPECT_THAT(seen, ElementsAre(seen.at(0), seen.at(0), seen.at(0)));
}

TEST(FiberJob, ADeadlockIsToldByRank) {
    const Result result = run(options(Kind::fibers, 2), [](Rank& rank) {
        if (rank.id() == 0) rank.bootstrap().get(1, "egg");
        if (rank.id() == 1) rank.bootstrap().get(0, "hen");
    });
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.exit_code, deadlock_exit_code);
    EXPECT_THAT(result.failure, AllOf(HasSubstr("rank 0 waits for 'egg' of rank 1"),
                                      HasSubstr("rank 1 waits for 'hen' of rank 0")));
}

TEST(FiberJob, AFailureDestroysWhatTheOthersHold) {
    int alive = 0;
    struct Guest {
        explicit Guest(int& n) : count(n) { ++count; }
        ~Guest() { --count; }
        int& count;
    };
    const Result result = run(options(Kind::fibers, 4), [&](Rank& rank) {
        const Guest guest(alive);
        rank.bootstrap().fence();
        if (rank.id() == 2) throw Error("enough");
        rank.bootstrap().get(rank.id(), "never");
    });
    EXPECT_EQ(result.failure, "rank 2 failed: enough");
    EXPECT_EQ(alive, 0);
}

TEST(FiberJob, ManyRanks) {
#ifdef __SANITIZE_THREAD__
    constexpr int ranks = 128;  // A thread sanitizer has room for a few hundred fibers.
#else
    constexpr int ranks = 4096;
#endif
    const Result result = run(options(Kind::fibers, ranks), [](Rank& rank) {
        const std::string mine = std::to_string(rank.id());
        rank.bootstrap().put("id", bytes(mine));
        const int next = (rank.id() + 1) % rank.size();
        if (text(rank.bootstrap().get(next, "id")) != std::to_string(next)) throw Error("wrong");
        rank.bootstrap().fence();
        rank.deliver("");
    });
    EXPECT_TRUE(result.ok) << result.failure;
    EXPECT_EQ(result.delivered.size(), static_cast<std::size_t>(ranks));
}

}  // namespace
}  // namespace railyard::job
