#include "base/mailbox.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <memory>
#include <thread>
#include <vector>

#include "base/shared_memory.hpp"
#include "railyard/base/bytes.hpp"

namespace railyard {
namespace {

using Box = Mailbox<std::uint64_t, 4>;

std::vector<std::uint64_t> take(Box& box, std::uint32_t& seen) {
    std::vector<std::uint64_t> letters;
    seen = box.take_all([&](std::uint64_t letter) { letters.push_back(letter); });
    return letters;
}

TEST(Mailbox, GivesEachLetterOnce) {
    auto box = std::make_unique<Box>();
    std::uint32_t seen = 0;
    EXPECT_FALSE(box->has_news(seen));
    EXPECT_TRUE(box->drop(5));
    EXPECT_TRUE(box->drop(6));
    EXPECT_TRUE(box->has_news(seen));
    EXPECT_EQ(take(*box, seen).size(), 2U);
    EXPECT_FALSE(box->has_news(seen));
    EXPECT_TRUE(take(*box, seen).empty());
}

TEST(Mailbox, SaysWhenItIsFull) {
    auto box = std::make_unique<Box>();
    std::uint32_t seen = 0;
    for (std::uint64_t i = 0; i < 4; ++i)
        EXPECT_TRUE(box->drop(i));
    EXPECT_FALSE(box->drop(4));
    EXPECT_EQ(take(*box, seen).size(), 4U);
    EXPECT_TRUE(box->drop(4));
}

TEST(Mailbox, ManyWritersLoseNothing) {
    auto box = std::make_unique<Box>();
    constexpr std::uint64_t writers = 4;
    constexpr std::uint64_t letters = 5'000;
    std::vector<std::thread> threads;
    for (std::uint64_t w = 0; w < writers; ++w)
        threads.emplace_back([&box, w] {
            for (std::uint64_t i = 0; i < letters; ++i)
                while (!box->drop(w * letters + i))
                    std::this_thread::yield();
        });
    std::vector<int> times(writers * letters);
    std::uint32_t seen = 0;
    for (std::uint64_t got = 0; got < times.size();)
        for (const std::uint64_t letter : take(*box, seen)) {
            ++times.at(letter);
            ++got;
        }
    for (auto& thread : threads)
        thread.join();
    for (const int n : times)
        EXPECT_EQ(n, 1);
}

TEST(Mailbox, TakesBackASlotWhoseWriterDied) {
    // A writer that dies between claiming and filling is played by its first step alone.
    const auto memory = SharedMemory::create("test", Bytes(sizeof(Box)));
    auto* box = reinterpret_cast<Box*>(memory.data());
    const pid_t child = fork();
    if (child == 0) {
        // The owner word is the first of a slot; slots follow the counter's line.
        auto* owner = reinterpret_cast<std::atomic<std::int32_t>*>(memory.data() + cache_line);
        owner->store(getpid());
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    std::uint32_t seen = 0;
    for (std::uint64_t i = 0; i < 3; ++i)
        EXPECT_TRUE(box->drop(i));
    EXPECT_FALSE(box->drop(3)) << "the dead writer's slot is still taken";
    EXPECT_EQ(take(*box, seen).size(), 3U);
    for (std::uint64_t i = 0; i < 4; ++i)
        EXPECT_TRUE(box->drop(i));
}

}  // namespace
}  // namespace railyard
