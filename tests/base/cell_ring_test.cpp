#include "base/cell_ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <utility>

namespace railyard {
namespace {

/// With a stamp of 32 bits, and with one of a byte, which comes round after 255 laps.
template <class Stamp>
struct Line {
    alignas(cache_line) std::uint64_t value = 0;
    Stamp stamp{};
};

template <class Cell, unsigned look_ahead, std::uint32_t count = 8, std::uint64_t capacity = 1024>
struct MappedRing {
    std::array<Cell, count> cells;
    std::array<std::byte, capacity> bytes{};
    RingCounts counts;
    RingMemory<Cell> memory{cells.data(), count, bytes.data(), capacity};
    CellRingWriter<Cell> writer{memory, counts};
    CellRingReader<Cell, look_ahead> reader{memory};

    void pop() {
        reader.pop();
        counts.tell_cells(reader.cells());
    }
    void pop_data(std::uint64_t length) {
        reader.pop_data(length);
        counts.tell_bytes(reader.bytes());
    }
};

template <class Ring>
class CellRing : public testing::Test {
  protected:
    Ring tested;
};
using Rings = testing::Types<MappedRing<Line<std::uint32_t>, 8>, MappedRing<Line<std::uint32_t>, 1>,
                             MappedRing<Line<std::byte>, 8>, MappedRing<Line<std::byte>, 1>>;
TYPED_TEST_SUITE(CellRing, Rings);

TYPED_TEST(CellRing, ZeroedMemoryIsAnEmptyRing) {
    EXPECT_EQ(this->tested.reader.front(), nullptr);
    EXPECT_NE(this->tested.writer.claim(), nullptr);
}

TYPED_TEST(CellRing, AClaimedCellIsInvisibleUntilPublished) {
    auto* cell = this->tested.writer.claim();
    EXPECT_EQ(this->tested.reader.front(), nullptr);
    this->tested.writer.publish();
    EXPECT_EQ(this->tested.reader.front(), cell);
}

TYPED_TEST(CellRing, HoldsAsManyAsItHasCellsAndGivesThemInOrder) {
    auto& ring = this->tested;
    std::uint64_t written = 0;
    std::uint64_t read = 0;
    // More laps than a byte can tell apart.
    for (int lap = 0; lap < 500; ++lap) {
        while (auto* cell = ring.writer.claim()) {
            cell->value = written++;
            ring.writer.publish();
        }
        EXPECT_EQ(written - read, ring.cells.size());
        // Not emptied evenly, so that laps and fills do not coincide.
        for (int i = 0; i < 5; ++i) {
            ASSERT_NE(ring.reader.front(), nullptr);
            EXPECT_EQ(ring.reader.front()->value, read++);
            ring.pop();
        }
        EXPECT_EQ(ring.writer.emptied(), read);
        EXPECT_EQ(ring.writer.published(), written);
    }
}

TYPED_TEST(CellRing, CountsTheRoomForSeveralCells) {
    auto& ring = this->tested;
    EXPECT_TRUE(ring.writer.has_room(1024, 8));
    EXPECT_FALSE(ring.writer.has_room(0, 9));
    EXPECT_FALSE(ring.writer.has_room(1025, 1));
    ring.writer.publish();
    EXPECT_FALSE(ring.writer.has_room(0, 8));
    EXPECT_TRUE(ring.writer.has_room(0, 7));
    ASSERT_NE(ring.reader.front(), nullptr);
    ring.pop();
    EXPECT_TRUE(ring.writer.has_room(0, 8));
}

TYPED_TEST(CellRing, TakesCreditsThatCameByAnotherWay) {
    auto& ring = this->tested;
    while (ring.writer.claim() != nullptr)
        ring.writer.publish();
    ring.writer.credit(3);
    EXPECT_TRUE(ring.writer.has_room(0, 3));
    EXPECT_FALSE(ring.writer.has_room(0, 4));
    ring.writer.credit(2);  // older news
    EXPECT_TRUE(ring.writer.has_room(0, 3));
}

TYPED_TEST(CellRing, CarriesEverythingBetweenTwoThreads) {
    auto& ring = this->tested;
    constexpr std::uint64_t messages = 50'000;
    std::thread producer([&] {
        for (std::uint64_t i = 0; i < messages;) {
            auto* cell = ring.writer.claim();
            if (cell == nullptr) {
                std::this_thread::yield();
                continue;
            }
            cell->value = i * 3 + 1;
            ring.writer.publish();
            ++i;
        }
    });
    for (std::uint64_t i = 0; i < messages;) {
        auto* cell = ring.reader.front();
        if (cell == nullptr) {
            std::this_thread::yield();
            continue;
        }
        ASSERT_EQ(cell->value, i * 3 + 1);
        ring.pop();
        ++i;
    }
    producer.join();
}

constexpr std::uint64_t capacity = 1024;
using PiecesRing = MappedRing<Line<std::uint32_t>, 1, 1 << 15, capacity>;

TEST(DataCursor, PiecesBeginOnCacheLinesAndNeverWrap) {
    DataCursor cursor(capacity);
    EXPECT_EQ(cursor.start_of(100), 0U);
    cursor.move_past(100);
    EXPECT_EQ(cursor.position(), 128U);
    // 900 bytes do not fit behind position 128: they begin at the next lap.
    EXPECT_EQ(cursor.start_of(900), capacity);
    EXPECT_EQ(cursor.offset_of(900), 0U);
    EXPECT_EQ(cursor.start_of(896), 128U);
    EXPECT_EQ(cursor.offset_of(896), 128U);
    cursor.move_past(896);
    EXPECT_EQ(cursor.position(), capacity);
    EXPECT_EQ(cursor.start_of(1), capacity);
    EXPECT_EQ(cursor.offset_of(1), 0U);
}

/// Not a power of two.
TEST(DataCursor, KnowsWhereItIsInRingsOfAnySize) {
    constexpr std::uint64_t size = 3 * 1024;
    DataCursor cursor(size);
    std::mt19937 random(3);
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t length = random() % 1000 + 1;
        ASSERT_EQ(cursor.start_of(length) % size, cursor.offset_of(length));
        ASSERT_LE(cursor.offset_of(length) + length, size);
        ASSERT_EQ(cursor.start_of(length) % cache_line, 0U);
        cursor.move_past(length);
    }
}

TEST(CellRingData, RefusesWhatDoesNotFitAndTakesItLater) {
    const auto ring = std::make_unique<PiecesRing>();
    ASSERT_NE(ring->writer.reserve(600), nullptr);
    ring->writer.publish(600);
    EXPECT_EQ(ring->writer.reserve(600), nullptr);
    EXPECT_NE(ring->writer.reserve(384), nullptr);
    ring->pop_data(600);
    EXPECT_NE(ring->writer.reserve(600), nullptr);
}

TEST(CellRingData, APieceAsLargeAsTheRingFits) {
    const auto ring = std::make_unique<PiecesRing>();
    for (int i = 0; i < 3; ++i) {
        ASSERT_NE(ring->writer.reserve(capacity), nullptr);
        ring->writer.publish(capacity);
        EXPECT_EQ(ring->writer.reserve(1), nullptr);
        ring->pop_data(capacity);
    }
}

TEST(CellRingData, RandomPiecesComeOutAsTheyWentIn) {
    const auto ring = std::make_unique<PiecesRing>();
    std::mt19937 random(7);
    std::deque<std::pair<std::uint64_t, std::byte>> inside;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t length = random() % 400 + 1;
        if (std::byte* to = ring->writer.reserve(length)) {
            const auto fill = static_cast<std::byte>(random());
            std::memset(to, static_cast<int>(fill), length);
            ring->writer.publish(length);
            inside.emplace_back(length, fill);
        } else {
            ASSERT_FALSE(inside.empty()) << "an empty ring must have room";
        }
        while (!inside.empty() && random() % 3 == 0) {
            const auto [size, fill] = inside.front();
            inside.pop_front();
            ASSERT_NE(ring->reader.front(), nullptr);
            const std::byte* from = ring->reader.data(size);
            for (std::uint64_t k = 0; k < size; ++k)
                ASSERT_EQ(from[k], fill);
            ring->pop_data(size);
            ring->pop();
        }
    }
}

/// A network that writes slots of a shadow to the same place of the reader's memory.
struct BySlots {
    std::byte* shadow = nullptr;
    std::byte* memory = nullptr;

    static bool slotted() { return true; }
    static std::byte* in_slot(Line<std::byte>& cell, std::uint64_t bytes) {
        return reinterpret_cast<std::byte*>(&cell) - bytes;
    }
    void show(Line<std::byte>& cell, std::byte stamp, std::uint64_t bytes) const {
        cell.stamp = stamp;
        const std::byte* from = reinterpret_cast<const std::byte*>(&cell) - bytes;
        std::memcpy(memory + (from - shadow), from, bytes + sizeof cell);
    }
};

TEST(CellRingSlots, BringTheirBytesRightBeforeTheCell) {
    using Cell = Line<std::byte>;
    constexpr std::uint64_t count = 4;
    constexpr std::uint64_t slot = 128;
    struct alignas(cache_line) Memory {
        std::array<std::byte, count*(slot + sizeof(Cell))> bytes{};
        RingMemory<Cell> ring() {
            RingMemory<Cell> memory;
            memory.cells = reinterpret_cast<Cell*>(bytes.data() + slot);
            memory.count = count;
            memory.stride = slot + sizeof(Cell);
            return memory;
        }
    };
    Memory here, there;
    RingCounts counts;
    CellRingWriter<Cell, BySlots> writer(here.ring(), counts,
                                         BySlots{here.bytes.data(), there.bytes.data()});
    CellRingReader<Cell> reader(there.ring());
    ASSERT_TRUE(reader.slotted());
    std::uint64_t read = 0;
    for (std::uint64_t written = 0; written < 3000;) {
        while (written < read + count) {
            ASSERT_TRUE(writer.has_room());
            const std::uint64_t length = written % slot + 1;
            std::memset(writer.place(length), static_cast<int>(written % 251), length);
            writer.cell().value = written++;
            writer.publish(length);
        }
        ASSERT_FALSE(writer.has_room());
        for (int i = 0; i < 3; ++i, ++read) {
            Cell* const cell = reader.front();
            ASSERT_NE(cell, nullptr);
            ASSERT_EQ(cell->value, read);
            const std::uint64_t length = read % slot + 1;
            for (std::uint64_t k = 0; k < length; ++k)
                ASSERT_EQ(reader.data(length)[k], static_cast<std::byte>(read % 251));
            reader.pop_data(length);
            reader.pop();
        }
        counts.tell_cells(reader.cells());
    }
}

}  // namespace
}  // namespace railyard
