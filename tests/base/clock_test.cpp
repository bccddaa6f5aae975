#include "base/clock.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace railyard {
namespace {

TEST(ThreadClock, GoesOnWhileTheThreadWorks) {
    const Duration start = thread_clock::now();
    Duration last = start;
    while (last - start < Duration::ms(2)) {
        const Duration next = thread_clock::now();
        ASSERT_GE(next, last);
        last = next;
    }
}

TEST(ThreadClock, IsTheThreadsOwn) {
    while (thread_clock::now() < Duration::ms(2)) {
    }
    const Duration ours = thread_clock::now();
    Duration theirs;
    std::thread([&] { theirs = thread_clock::now(); }).join();
    EXPECT_LT(theirs, ours);
}

TEST(ThreadClock, AReadingCostsLittle) {
    EXPECT_GE(thread_clock::cost(), Duration());
    EXPECT_LT(thread_clock::cost(), Duration::ms(1));
}

}  // namespace
}  // namespace railyard
