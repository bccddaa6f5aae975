#include "hosts/memory.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace railyard::hosts {
namespace {

using namespace literals;

/// A line takes 10 ns, its first one on a page 100 ns, and a page that the TLB does not know
/// 1000 ns.
constexpr Memory::Parameters whole{.cache = 16_KiB,
                                   .miss = 100_ns,
                                   .rate = Rate::bytes_per_second(6'400'000'000U),
                                   .fills = 2,
                                   .entries = 3,
                                   .walk = 1000_ns};
constexpr Memory::Parameters only_cache{
    .cache = whole.cache, .miss = whole.miss, .rate = whole.rate, .fills = whole.fills};
constexpr Memory::Parameters only_tlb{.entries = whole.entries, .walk = whole.walk};

std::vector<std::byte> pages(std::size_t count) {
    return std::vector<std::byte>(count * 4096);
}

TEST(HostMemory, ABufferIsAtHandOnceItWasUsed) {
    Memory memory(whole);
    const auto buffer = pages(1);
    EXPECT_EQ(memory.read(buffer.data(), 256), 1000_ns + 100_ns + 3 * 10_ns);
    EXPECT_EQ(memory.read(buffer.data(), 256), 0_ns);
    EXPECT_EQ(memory.write(buffer.data(), 256), 0_ns);
    EXPECT_EQ(memory.read(buffer.data(), 0), 0_ns);
}

TEST(HostMemory, ReadersWaitForTheFirstLineOfEachPage) {
    Memory memory(only_cache);
    const auto buffer = pages(2);
    EXPECT_EQ(memory.read(buffer.data(), 8192), 2 * (100_ns + 63 * 10_ns));
}

TEST(HostMemory, WritersPayForFetchingAndForWritingBackButForTheLastLines) {
    Memory memory(only_cache);
    const auto buffer = pages(2);
    EXPECT_EQ(memory.write(buffer.data(), 128), 0_ns) << "both lines are under way";
    EXPECT_EQ(memory.write(buffer.data() + 4096, 320), 3 * 2 * 10_ns);
}

TEST(HostMemory, OnlyLinesThatAreMissingCost) {
    Memory memory(only_cache);
    const auto buffer = pages(1);
    memory.read(buffer.data(), 4096);
    Memory other(only_cache);
    other.read(buffer.data(), 64);
    EXPECT_EQ(other.read(buffer.data(), 4096), 100_ns + 62 * 10_ns);
    EXPECT_EQ(memory.read(buffer.data() + 100, 1000), 0_ns) << "a part of what is there";
}

TEST(HostMemory, TheCacheGivesUpWhatWasUnusedForLongest) {
    Memory memory(only_cache);  // four pages
    const auto buffer = pages(5);
    const auto read = [&](std::size_t page) {
        return memory.read(buffer.data() + page * 4096, 4096);
    };
    // Pages of one buffer, so that it is known as one.
    memory.read(buffer.data(), buffer.size());
    EXPECT_EQ(read(4), 0_ns);
    EXPECT_EQ(read(1), 0_ns);
    EXPECT_GT(read(0), 0_ns) << "the fifth took its place";
    EXPECT_EQ(read(1), 0_ns);
    EXPECT_GT(read(2), 0_ns) << "the first took its place in turn";
    EXPECT_EQ(read(4), 0_ns);
}

TEST(HostMemory, TheTlbGivesUpWhatWasUnusedForLongest) {
    Memory memory(only_tlb);
    std::vector<std::vector<std::byte>> buffers(4, std::vector<std::byte>(8));
    const auto use = [&](std::size_t i) { return memory.read(buffers[i].data(), 8); };
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(use(i), 1000_ns);
    EXPECT_EQ(use(0), 0_ns);
    EXPECT_EQ(use(3), 1000_ns);
    EXPECT_EQ(use(0), 0_ns);
    EXPECT_EQ(use(1), 1000_ns) << "longest unused when the fourth came";
}

TEST(HostMemory, ABufferThatIsLargerThanTheCacheIsNeverAtHand) {
    Memory memory(only_cache);
    const auto buffer = pages(8);
    const Duration first = memory.read(buffer.data(), buffer.size());
    EXPECT_EQ(memory.read(buffer.data(), buffer.size()), first);
}

TEST(HostMemory, WhatAnAdapterWritesLeavesTheCacheOnly) {
    Memory memory(whole);
    const auto buffer = pages(2);
    memory.read(buffer.data(), 8192);
    memory.overwritten(buffer.data() + 4000, 200);  // the last two lines of one, two of the next
    EXPECT_EQ(memory.read(buffer.data(), 4096), 100_ns + 10_ns);
    EXPECT_EQ(memory.read(buffer.data() + 4096, 4096), 100_ns + 10_ns);
    EXPECT_EQ(memory.read(buffer.data(), 8192), 0_ns);
    memory.overwritten(buffer.data() - 64, 8192 + 128);
    EXPECT_EQ(memory.read(buffer.data(), 8192), 2 * (100_ns + 63 * 10_ns));
    Memory(whole).overwritten(buffer.data(), 8192);
}

TEST(HostMemory, PartsOfWhatOverlapsAreTheSame) {
    Memory memory(only_cache);
    const auto buffer = pages(1);
    memory.read(buffer.data() + 1024, 1024);
    EXPECT_EQ(memory.read(buffer.data() + 1024, 64), 0_ns);
    EXPECT_EQ(memory.read(buffer.data() + 512, 2048), 2 * 100_ns + (8 + 8 - 2) * 10_ns)
        << "what is before and behind it";
    EXPECT_EQ(memory.read(buffer.data() + 512, 2048), 0_ns);
}

// Same uses, same times, wherever the memory lies and however it is aligned.
TEST(HostMemory, AddressesDoNotMatter) {
    std::vector<std::byte> arena(1 << 20);
    const auto times = [&](std::size_t first, std::size_t apart) {
        Memory memory(whole);
        std::vector<Duration> all;
        for (const std::size_t i : {0U, 1U, 2U, 3U, 1U, 0U, 4U, 5U, 3U, 2U}) {
            const std::byte* const buffer = arena.data() + first + i * apart;
            all.push_back(memory.read(buffer, 5000));
            all.push_back(memory.write(buffer + 4000, 500));
            if (i == 3) memory.overwritten(buffer, 300);
        }
        return all;
    };
    const auto aligned = times(0, 8192);
    for (const std::size_t first : {1U, 16U, 63U, 100U, 4095U})
        for (const std::size_t apart : {5000U, 5001U, 9999U, 65'536U})
            EXPECT_EQ(times(first, apart), aligned) << first << " " << apart;
}

}  // namespace
}  // namespace railyard::hosts
