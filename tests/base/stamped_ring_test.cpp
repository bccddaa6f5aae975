#include "base/stamped_ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace railyard {
namespace {

struct Cell {
    std::atomic<std::uint32_t> stamp{0};
    std::uint64_t value = 0;
};
constexpr std::uint32_t count = 8;

struct CellRing {
    std::array<Cell, count> cells;
    std::atomic<std::uint64_t> done{0};
    RingProducer<Cell, count> producer{cells.data(), &done};
    RingConsumer<Cell, count> consumer{cells.data(), &done};
};

TEST(StampedRing, ZeroedMemoryIsAnEmptyRing) {
    CellRing ring;
    EXPECT_EQ(ring.consumer.front(), nullptr);
    EXPECT_NE(ring.producer.claim(), nullptr);
}

TEST(StampedRing, AClaimedCellIsInvisibleUntilPublished) {
    CellRing ring;
    Cell* cell = ring.producer.claim();
    EXPECT_EQ(ring.consumer.front(), nullptr);
    ring.producer.publish(*cell);
    EXPECT_EQ(ring.consumer.front(), cell);
}

TEST(StampedRing, HoldsAsManyAsItHasCellsAndGivesThemInOrder) {
    CellRing ring;
    std::uint64_t written = 0;
    std::uint64_t read = 0;
    for (int lap = 0; lap < 5; ++lap) {
        while (Cell* cell = ring.producer.claim()) {
            cell->value = written++;
            ring.producer.publish(*cell);
        }
        EXPECT_EQ(written - read, count);
        // Not emptied evenly, so that laps and fills do not coincide.
        for (int i = 0; i < 5; ++i) {
            ASSERT_NE(ring.consumer.front(), nullptr);
            EXPECT_EQ(ring.consumer.front()->value, read++);
            ring.consumer.pop();
        }
        EXPECT_EQ(ring.producer.emptied(), read);
        EXPECT_EQ(ring.producer.published(), written);
    }
}

TEST(StampedRing, CarriesEverythingBetweenTwoThreads) {
    CellRing ring;
    constexpr std::uint64_t messages = 200'000;
    std::thread producer([&] {
        for (std::uint64_t i = 0; i < messages;) {
            Cell* cell = ring.producer.claim();
            if (cell == nullptr) {
                std::this_thread::yield();
                continue;
            }
            cell->value = i * 3 + 1;
            ring.producer.publish(*cell);
            ++i;
        }
    });
    for (std::uint64_t i = 0; i < messages;) {
        Cell* cell = ring.consumer.front();
        if (cell == nullptr) {
            std::this_thread::yield();
            continue;
        }
        ASSERT_EQ(cell->value, i * 3 + 1);
        ring.consumer.pop();
        ++i;
    }
    producer.join();
}

}  // namespace
}  // namespace railyard
