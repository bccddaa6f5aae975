// Memory for the length of a call, and blocks where a user has them.

#include "mpi/collectives/scratch.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "mpi/collectives/area.hpp"
#include "mpi/collectives/buffers.hpp"

namespace railyard::mpi {
namespace {

TEST(Scratch, HasRoomForElementsWhereverTheyLie) {
    for (const TypeRef& type : types_of_three_ints()) {
        const Packed first = random_bytes(12 * 10, 1);
        const Packed second = random_bytes(12 * 10, 2);
        ScratchPool pool;
        Scratch scratch(pool, 2 * Scratch::room(10, *type));
        const Buffer a = scratch.elements(10, *type);
        const Buffer b = scratch.elements(10, *type);
        type->unpack(a.address, 10, 0, first);
        type->unpack(b.address, 10, 0, second);
        Packed back(12 * 10);
        type->pack(a.address, 10, 0, back);
        EXPECT_TRUE(back == first);
        type->pack(b.address, 10, 0, back);
        EXPECT_TRUE(back == second);
    }
}

TEST(Scratch, IsAlignedAsTheUsersMemoryIs) {
    // Two 64-bit integers at 8 and -24: aligned where the element's address is.
    ScratchPool pool;
    Scratch scratch(pool, Scratch::room(3, *types_of_two_longs()[2]));
    const Buffer elements = scratch.elements(3, *types_of_two_longs()[2]);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(elements.address) % 16, 0U);
}

TEST(Scratch, CountsBeyondFourBillion) {
    const Datatype& type = *predefined(Basic::uint64);
    EXPECT_EQ(Scratch::room(5'000'000'000, type), 40'000'000'000U);
    EXPECT_EQ(Scratch::room(5'000'000'001), 5'000'000'016U);
    EXPECT_EQ(Scratch::room(0, type), 0U);
}

TEST(Blocks, OfManyBytesAreFoundBeyondFourBillion) {
    const Datatype& type = *predefined(Basic::uint64);
    char here = 0;
    const auto offset = [&](const Buffer& block) {
        return reinterpret_cast<std::intptr_t>(block.address) -
               reinterpret_cast<std::intptr_t>(&here);
    };
    const Blocks even(Buffer{&here, 2'000'000'000, &type});
    EXPECT_EQ(offset(even[3]), 48'000'000'000);
    EXPECT_EQ(even.range(1, 3).count, 6'000'000'000U);
    const int counts[] = {1, 2};
    const int displacements[] = {0, 2'000'000'000};
    const Blocks uneven(&here, counts, displacements, type);
    EXPECT_EQ(offset(uneven[1]), 16'000'000'000);
    EXPECT_EQ(uneven[1].count, 2U);
    const std::int64_t wide[] = {0, 5'000'000'000};
    const Datatype* types[] = {&type, &type};
    const Blocks typed(&here, wide, wide, types);
    EXPECT_EQ(offset(typed[1]), 5'000'000'000);
    EXPECT_EQ(typed[1].count, 5'000'000'000U);
}

TEST(ScratchPool, GivesTheSameBlocksAgain) {
    ScratchPool pool;
    ScratchPool::Block small = pool.take(5000);
    ScratchPool::Block large = pool.take(100'000);
    const std::byte* const first = small.memory.get();
    const std::byte* const second = large.memory.get();
    EXPECT_GE(large.size, 100'000U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 4096, 0U);
    pool.give_back(std::move(large));
    pool.give_back(std::move(small));
    ScratchPool::Block again = pool.take(8000);
    EXPECT_EQ(again.memory.get(), first) << "the smallest that holds it";
    EXPECT_EQ(pool.take(4000).memory.get(), second) << "the next larger one";
}

TEST(ScratchPool, ALastingOneLendsNothingTwiceUntilItIsReclaimed) {
    ScratchPool pool(true);
    const auto memory_of = [&] { return Scratch(pool, 100).bytes(100).data(); };
    const std::byte* const first = memory_of();
    const std::byte* const second = memory_of();
    EXPECT_NE(first, second) << "still used, though its Scratch is gone";
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 4096, 0U) << "not on the stack";
    pool.reclaim();
    const std::byte* const third = memory_of();
    EXPECT_TRUE(third == first || third == second);
}

TEST(ScratchPool, KeepsNoLargeBlocks) {
    ScratchPool pool;
    pool.give_back(pool.take(ScratchPool::largest_kept + 1));
    EXPECT_LT(pool.take(1).size, ScratchPool::largest_kept);
}

}  // namespace
}  // namespace railyard::mpi
