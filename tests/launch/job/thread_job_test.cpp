// What only a job of threads has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "helpers.hpp"
#include "launch/job/board.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {
namespace {

using namespace testing;

TEST(ThreadJob, RanksAreThreadsOfThisProcess) {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    const Result result = run(options(Kind::threads, 4), [&](Rank&) {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
    });
    EXPECT_TRUE(result.ok);
    EXPECT_EQ(threads.size(), 4u);
    EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(ThreadJob, TheFirstFailureIsTheOneReported) {
    const Stopwatch watch;
    const Result result = run(options(Kind::threads, 8), [](Rank& rank) {
        rank.bootstrap().fence();
        if (rank.id() == 5) throw Error("the cause");
        try {
            rank.bootstrap().get(5, "never");
        } catch (const Aborted&) {
            throw Error("the consequence");
        }
    });
    EXPECT_EQ(result.failure, "rank 5 failed: the cause");
    EXPECT_LT(watch.seconds(), within(2));
}

TEST(ThreadJob, ValuesArePublishedWithWhatCameBefore) {
    // For the thread sanitizer: a get and a fence order plain memory too.
    int plain = 0;
    const Result result = run(options(Kind::threads, 3), [&](Rank& rank) {
        if (rank.id() == 0) {
            plain = 42;
            rank.bootstrap().put("ready", {});
        } else {
            rank.bootstrap().get(0, "ready");
            if (plain != 42) throw Error("not published");
        }
        rank.bootstrap().fence();
        if (rank.id() == 2) plain = 43;
        rank.bootstrap().fence();
        if (plain != 43) throw Error("not published by the fence");
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST(ThreadJob, LeavesNoDescriptorOpen) {
    const auto before = open_descriptors();
    run(options(Kind::threads, 4), [](Rank& rank) { rank.bootstrap().fence(); });
    EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace railyard::job
