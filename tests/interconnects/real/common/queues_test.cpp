#include "interconnects/real/common/queues.hpp"

#include <gtest/gtest.h>

#include <array>

namespace railyard::real {
namespace {

using fabric::Completion;

/// Only told apart, never looked into.
fabric::QueuePair* queue_pair(std::uintptr_t number) {
    return reinterpret_cast<fabric::QueuePair*>(number * 16);
}

Completion completion(std::uint64_t id, fabric::QueuePair* from) {
    Completion made;
    made.id = id;
    made.queue_pair = from;
    return made;
}

TEST(CompletionRing, GivesBackAllOfACompletion) {
    CompletionRing ring(1);
    Completion made = completion(~std::uint64_t{0}, queue_pair(1));
    made.status = Code::flushed;
    made.op = fabric::Op::receive;
    made.has_immediate = true;
    made.immediate = 0xfedc'ba98;
    made.length = Bytes(std::uint64_t{1} << 40);
    made.invalidated = reinterpret_cast<const fabric::Region*>(std::uintptr_t{64});
    ring.push(made);
    std::array<Completion, 2> out;
    ASSERT_EQ(ring.take(out), 1u);
    EXPECT_EQ(out[0].id, made.id);
    EXPECT_EQ(out[0].status, made.status);
    EXPECT_EQ(out[0].op, made.op);
    EXPECT_TRUE(out[0].has_immediate);
    EXPECT_EQ(out[0].immediate, made.immediate);
    EXPECT_EQ(out[0].length, made.length);
    EXPECT_EQ(out[0].queue_pair, made.queue_pair);
    EXPECT_EQ(out[0].invalidated, made.invalidated);
    EXPECT_TRUE(ring.empty());
}

TEST(CompletionRing, GrowsAndKeepsTheOrder) {
    CompletionRing ring(4);
    std::array<Completion, 3> out;
    std::uint64_t next = 0;
    std::uint64_t seen = 0;
    // Two more come than go, so that it grows while its beginning is somewhere in the middle.
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 5; ++i)
            ring.push(completion(next++, queue_pair(1)));
        ASSERT_EQ(ring.take(out), out.size());
        for (const Completion& found : out)
            ASSERT_EQ(found.id, seen++);
    }
    while (!ring.empty())
        for (std::size_t i = 0, n = ring.take(out); i < n; ++i)
            ASSERT_EQ(out[i].id, seen++);
    EXPECT_EQ(seen, next);
}

TEST(CompletionRing, ForgetsThoseOfAQueuePairThatGoes) {
    CompletionRing ring(4);
    for (std::uint64_t id = 0; id < 6; ++id)
        ring.push(completion(id, queue_pair(1 + id % 2)));
    ring.discard(queue_pair(1));
    std::array<Completion, 8> out;
    ASSERT_EQ(ring.take(out), 3u);
    EXPECT_EQ(out[0].id, 1u);
    EXPECT_EQ(out[1].id, 3u);
    EXPECT_EQ(out[2].id, 5u);
}

}  // namespace
}  // namespace railyard::real
