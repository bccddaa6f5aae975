// The heap of a rank: pieces do not overlap, keep what is in them, and lie where the rank's own
// history puts them.

#include "programs/executables/heap.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <vector>

namespace railyard::executables {
namespace {

constexpr std::size_t reserved = std::size_t{1} << 30;

TEST(Heap, PiecesAreApartAndKeepWhatIsInThem) {
    Heap heap(reserved);
    std::mt19937_64 random(7);
    struct Piece {
        std::byte* memory;
        std::size_t size;
        std::byte mark;
    };
    std::vector<Piece> pieces;
    for (int round = 0; round < 20'000; ++round) {
        if (pieces.size() > 200 || (!pieces.empty() && random() % 2 == 0)) {
            const std::size_t which = random() % pieces.size();
            const Piece piece = pieces[which];
            for (std::size_t i = 0; i < piece.size; i += 1 + piece.size / 16)
                ASSERT_EQ(piece.memory[i], piece.mark);
            heap.free(piece.memory);
            pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(which));
            continue;
        }
        const std::size_t size = random() % (std::size_t{1} << (random() % 20));
        const std::size_t alignment = std::size_t{16} << (random() % 9);
        const bool clear = random() % 4 == 0;
        auto* const memory = static_cast<std::byte*>(clear ? heap.allocate_clear(size)
                                                           : heap.allocate(size, alignment));
        ASSERT_NE(memory, nullptr);
        ASSERT_TRUE(heap.owns(memory));
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(memory) % (clear ? 16 : alignment), 0U);
        ASSERT_GE(heap.usable(memory), size);
        for (std::size_t i = 0; clear && i < size; ++i)
            ASSERT_EQ(memory[i], std::byte{});
        const auto mark = static_cast<std::byte>(random());
        std::memset(memory, static_cast<int>(mark), heap.usable(memory));
        pieces.push_back({memory, heap.usable(memory), mark});
    }
}

TEST(Heap, TheSameHistoryGivesTheSamePlaces) {
    Heap first(reserved);
    Heap second(reserved);
    std::mt19937_64 random(3);
    std::vector<std::pair<void*, void*>> pieces;
    void* const first_begin = first.allocate(1);
    void* const second_begin = second.allocate(1);
    for (int round = 0; round < 5'000; ++round) {
        if (!pieces.empty() && random() % 2 == 0) {
            const std::size_t which = random() % pieces.size();
            first.free(pieces[which].first);
            second.free(pieces[which].second);
            pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(which));
            continue;
        }
        const std::size_t size = random() % 100'000;
        pieces.emplace_back(first.allocate(size), second.allocate(size));
        ASSERT_EQ(
            static_cast<std::byte*>(pieces.back().first) - static_cast<std::byte*>(first_begin),
            static_cast<std::byte*>(pieces.back().second) - static_cast<std::byte*>(second_begin));
    }
}

TEST(Heap, SaysWhenThereIsNoRoom) {
    Heap heap(1 << 20);
    EXPECT_EQ(heap.allocate(2 << 20), nullptr);
    EXPECT_EQ(heap.allocate(~std::size_t{0}), nullptr);
    void* const most = heap.allocate(900 << 10);
    EXPECT_NE(most, nullptr);
    EXPECT_EQ(heap.allocate(900 << 10), nullptr);
    heap.free(most);
    EXPECT_NE(heap.allocate(900 << 10), nullptr);
}

}  // namespace
}  // namespace railyard::executables
