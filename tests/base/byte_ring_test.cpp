#include "base/byte_ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <random>

namespace railyard {
namespace {

constexpr std::uint64_t capacity = 1024;

struct PiecesRing {
    std::array<std::byte, capacity> bytes{};
    std::atomic<std::uint64_t> done{0};
    ByteRingProducer producer{bytes.data(), capacity, &done};
    ByteRingConsumer consumer{bytes.data(), capacity, &done};
};

TEST(ByteRing, PiecesBeginOnCacheLinesAndNeverWrap) {
    ByteRingCursor cursor(capacity);
    EXPECT_EQ(cursor.start_of(100), 0U);
    cursor.move_past(100);
    EXPECT_EQ(cursor.position(), 128U);
    // 900 bytes do not fit behind position 128: they begin at the next lap.
    EXPECT_EQ(cursor.start_of(900), capacity);
    EXPECT_EQ(cursor.start_of(896), 128U);
}

TEST(ByteRing, RefusesWhatDoesNotFitAndTakesItLater) {
    PiecesRing ring;
    ASSERT_NE(ring.producer.reserve(600), nullptr);
    ring.producer.commit(600);
    EXPECT_EQ(ring.producer.reserve(600), nullptr);
    EXPECT_NE(ring.producer.reserve(384), nullptr);
    ring.consumer.pop(600);
    EXPECT_NE(ring.producer.reserve(600), nullptr);
}

TEST(ByteRing, APieceAsLargeAsTheRingFits) {
    PiecesRing ring;
    for (int i = 0; i < 3; ++i) {
        ASSERT_NE(ring.producer.reserve(capacity), nullptr);
        ring.producer.commit(capacity);
        EXPECT_EQ(ring.producer.reserve(1), nullptr);
        ring.consumer.pop(capacity);
    }
}

TEST(ByteRing, RandomPiecesComeOutAsTheyWentIn) {
    PiecesRing ring;
    std::mt19937 random(7);
    std::deque<std::pair<std::uint64_t, std::byte>> inside;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t length = random() % 400 + 1;
        if (std::byte* to = ring.producer.reserve(length)) {
            const auto fill = static_cast<std::byte>(random());
            std::memset(to, static_cast<int>(fill), length);
            ring.producer.commit(length);
            inside.emplace_back(length, fill);
        } else {
            ASSERT_FALSE(inside.empty()) << "an empty ring must have room";
        }
        while (!inside.empty() && random() % 3 == 0) {
            const auto [size, fill] = inside.front();
            inside.pop_front();
            const std::byte* from = ring.consumer.front(size);
            for (std::uint64_t k = 0; k < size; ++k)
                ASSERT_EQ(from[k], fill);
            ring.consumer.pop(size);
        }
    }
}

}  // namespace
}  // namespace railyard
