#include "launch/job/board.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>

#include "base/descriptor.hpp"
#include "helpers.hpp"

namespace railyard::job {
namespace {

using namespace testing;

struct Fixture {
    explicit Fixture(int ranks)
        : memory(Board::size_for(ranks)), board(Board::format(memory.span(), ranks)) {}
    AnonymousMemory memory;
    Board board;
};

TEST(Board, GetWaitsForPut) {
    Fixture f(2);
    std::thread putter([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        f.board.put(1, "other", bytes("no"));
        f.board.put(1, "key", bytes("yes"));
    });
    EXPECT_EQ(text(f.board.get(1, "key")), "yes");
    putter.join();
}

TEST(Board, IsFullAfter64KiB) {
    Fixture f(2);
    int fitted = 0;
    const std::string value(1000, 'v');
    try {
        for (;; ++fitted)
            f.board.put(0, fmt::format("{:4}", fitted), bytes(value));
    } catch (const UsageError&) {
        FAIL() << "a full log is not the caller's fault";
    } catch (const Error&) {
    }
    EXPECT_GE(fitted, 64);
    EXPECT_EQ(text(f.board.get(0, fmt::format("{:4}", fitted - 1))), value);
    // The last byte can be used, and neighbours have room of their own.
    f.board.put(1, "k", bytes(std::string(Board::capacity_per_rank.count() - 8 - 1, 'x')));
    EXPECT_THROW(f.board.put(1, "", {}), Error);
}

TEST(Board, MayBeMappedAnywhere) {
    // As a process that was started by exec would find it: by its descriptor, at another address.
    const Descriptor file(::memfd_create("board", MFD_CLOEXEC));
    const std::size_t size = Board::size_for(3).count();
    ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(size)), 0);
    const auto map = [&] {
        void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
        return std::span(static_cast<std::byte*>(at), size);
    };
    const auto here = map();
    const auto there = map();
    ASSERT_NE(here.data(), there.data());

    EXPECT_THROW(Board::attach(there), Error);
    Board one = Board::format(here, 3);
    one.put(2, "key", bytes("value"));
    Board other = Board::attach(there);
    EXPECT_EQ(other.ranks(), 3);
    EXPECT_EQ(text(other.get(2, "key")), "value");
    EXPECT_THROW(Board::attach(there.first(size / 2)), Error);

    std::thread waiter([&] { EXPECT_EQ(text(other.get(0, "late")), "later"); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    one.put(0, "late", bytes("later"));
    waiter.join();
    ::munmap(here.data(), size);
    ::munmap(there.data(), size);
}

TEST(Board, AbortEndsEveryWait) {
    Fixture f(3);
    std::thread getter([&] { EXPECT_THROW(f.board.get(1, "never"), Aborted); });
    std::thread fencer([&] { EXPECT_THROW(f.board.fence(0), Aborted); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const Stopwatch watch;
    f.board.abort(1);
    getter.join();
    fencer.join();
    EXPECT_LT(watch.seconds(), within(0.4));  // Woken, not by the bound on sleeping.
    EXPECT_THROW(f.board.get(2, "never"), Aborted);
    f.board.put(2, "still", bytes("readable"));
    EXPECT_EQ(text(f.board.get(2, "still")), "readable");
}

TEST(Board, LeavingWakesThoseWhoWait) {
    Fixture f(2);
    std::thread getter([&] { EXPECT_THROW(f.board.get(1, "never"), Error); });
    std::thread fencer([&] { EXPECT_THROW(f.board.fence(0), Error); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const Stopwatch watch;
    f.board.put(1, "last", bytes("words"));
    f.board.leave(1);
    getter.join();
    fencer.join();
    EXPECT_LT(watch.seconds(), within(0.4));
    EXPECT_EQ(text(f.board.get(1, "last")), "words");
}

TEST(Board, OneWhoLeftAfterTheFenceIsNotMissed) {
    for (int round = 0; round < 200; ++round) {
        Fixture f(2);
        std::thread leaver([&] {
            f.board.fence(1);
            f.board.leave(1);
        });
        EXPECT_NO_THROW(f.board.fence(0));
        leaver.join();
    }
}

TEST(Board, JoinsOnceAndLeavesForGood) {
    Fixture f(2);
    EXPECT_FALSE(f.board.present(1));
    EXPECT_TRUE(f.board.join(1));
    EXPECT_TRUE(f.board.present(1));
    EXPECT_FALSE(f.board.present(0));
    EXPECT_FALSE(f.board.join(1));
    f.board.leave(1);
    EXPECT_FALSE(f.board.present(1));
    EXPECT_FALSE(f.board.join(1));
    // Said twice, it counts once: rank 0 is still there.
    f.board.leave(1);
    EXPECT_THROW(f.board.get(1, "never put"), Error);
    f.board.put(0, "still", {});
    EXPECT_NO_THROW(f.board.get(0, "still"));
}

TEST(Board, FourThousandRanksTouchLittleMemory) {
    constexpr int ranks = 4096;
    Fixture f(ranks);
    for (int rank = 0; rank < ranks; ++rank)
        f.board.put(rank, "address", bytes(std::string(128, 'a')));
    for (int rank = 0; rank < ranks; ++rank)
        ASSERT_EQ(f.board.get(rank, "address").size(), 128u);

    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> resident(f.memory.span().size() / page + 1);
    ASSERT_EQ(::mincore(f.memory.span().data(), f.memory.span().size(), resident.data()), 0);
    const auto pages = std::count_if(resident.begin(), resident.end(),
                                     [](unsigned char flags) { return (flags & 1) != 0; });
    // One page of values each, and the logs.
    EXPECT_LE(static_cast<std::size_t>(pages), ranks + ranks * 64 / page + 16);
}

}  // namespace
}  // namespace railyard::job
