// The copy loops, each block length and alignment of them, against a plain loop.

#include "mpi/types/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>

#include "mpi/types/constructors.hpp"

namespace railyard::mpi {
namespace {

std::vector<std::byte> numbered(std::size_t size) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
    return bytes;
}

/// Blocks of one length, as far apart and as badly aligned as may be.
struct Case {
    std::size_t block;
    std::ptrdiff_t stride;
    std::size_t misalignment;

    static constexpr std::size_t count = 37;

    std::size_t place(std::size_t i, std::size_t byte) const {
        const auto step = static_cast<std::size_t>(std::abs(stride));
        return misalignment + (stride < 0 ? (count - 1 - i) * step : i * step) + byte;
    }
    TypeRef type() const { return hvector(count, block, stride, predefined(Basic::byte)); }
    std::size_t memory() const { return place(0, 0) + place(count - 1, 0) + block; }
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << "blocks of " << c.block << " every " << c.stride << " from " << c.misalignment;
}

std::vector<Case> cases() {
    std::vector<Case> all{{8, 17, 0}, {4, 9, 3}};
    for (const std::size_t block : {1, 2, 3, 4, 7, 8, 12, 16, 20, 24, 32, 100})
        for (const int factor : {2, 3, -2})
            for (const std::size_t misalignment : {0, 1, 4})
                all.push_back({block, static_cast<std::ptrdiff_t>(block) * factor, misalignment});
    return all;
}

TEST(LayoutCopy, EveryWindowOfAVectorIsRight) {
    for (const Case& c : cases()) {
        const auto memory = numbered(c.memory());
        std::vector<std::byte> expected;
        for (std::size_t i = 0; i < Case::count; ++i)
            for (std::size_t byte = 0; byte < c.block; ++byte)
                expected.push_back(memory[c.place(i, byte)]);
        const TypeRef type = c.type();
        ASSERT_EQ(type->size(), expected.size());
        for (std::size_t from = 0; from < expected.size(); from += 5) {
            for (std::size_t size = 0; from + size <= expected.size(); size += 1 + size / 3) {
                std::vector<std::byte> out(size);
                type->pack(&memory[c.place(0, 0)], 1, from, out);
                ASSERT_TRUE(std::equal(out.begin(), out.end(), &expected[from]))
                    << c << ", " << size << " bytes at " << from;
            }
        }
    }
}

TEST(LayoutCopy, UnpackLeavesTheGapsOfAVectorAlone) {
    for (const Case& c : cases()) {
        const TypeRef type = c.type();
        const auto stream = numbered(type->size());
        auto expected = std::vector<std::byte>(c.memory(), std::byte{0xEE});
        auto memory = expected;
        for (std::size_t i = 0; i < Case::count; ++i)
            for (std::size_t byte = 0; byte < c.block; ++byte)
                expected[c.place(i, byte)] = stream[i * c.block + byte];
        type->unpack(&memory[c.place(0, 0)], 1, 0, stream);
        ASSERT_TRUE(memory == expected) << c;
    }
}

TEST(LayoutCopy, AListOfBlocksOfOneLengthIsRightForEachLength) {
    for (std::size_t length = 1; length <= 40; ++length) {
        const auto step = static_cast<std::ptrdiff_t>(length);
        const std::vector<std::ptrdiff_t> places{9 * step, 0, 3 * step, 7 * step, 5 * step};
        const TypeRef type = hindexed_block(length, places, predefined(Basic::byte));
        const auto memory = numbered(400);
        for (std::size_t from = 0; from <= type->size(); ++from) {
            std::vector<std::byte> out(type->size() - from);
            type->pack(memory.data(), 1, from, out);
            for (std::size_t i = 0; i < out.size(); ++i) {
                const auto block = static_cast<std::size_t>(places[(from + i) / length]);
                ASSERT_EQ(out[i], memory[block + (from + i) % length]) << length << " " << from;
            }
        }
    }
}

TEST(LayoutCopy, AWindowDeepInsideOfManyElementsIsFoundAtOnce) {
    // 2^40 elements of 2^20 blocks: whoever counts them one by one does not come back.
    const TypeRef column = hvector(1U << 20U, 1, 0, predefined(Basic::c_double));
    const TypeRef all = resized(column, 0, 0);
    const double value = 2.5;
    double got[3] = {};
    all->pack(&value, std::size_t(1) << 40U, (std::size_t(1) << 62U) + 8,
              std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got[2], 2.5);
}

// Elements near each other are far apart in the stream: any part of it, and either way round.
TEST(LayoutCopy, EveryWindowOfATransposeIsRight) {
    for (const std::size_t element : {4, 8, 16})
        for (const std::size_t rows : {2, 7, 8, 33})
            for (const std::size_t columns : {9, 16, 21})
                for (const bool resized_column : {false, true}) {
                    const auto memory = numbered(rows * columns * element);
                    std::vector<std::byte> expected;
                    for (std::size_t c = 0; c < columns; ++c)
                        for (std::size_t r = 0; r < rows; ++r)
                            for (std::size_t byte = 0; byte < element; ++byte)
                                expected.push_back(memory[(r * columns + c) * element + byte]);
                    const auto step = static_cast<std::ptrdiff_t>(element);
                    const TypeRef one = contiguous(element, predefined(Basic::byte));
                    const TypeRef column =
                        vector(rows, 1, static_cast<std::ptrdiff_t>(columns), one);
                    const TypeRef type = resized_column ? resized(column, 0, step)
                                                        : hvector(columns, 1, step, column);
                    const std::size_t count = resized_column ? columns : 1;
                    EXPECT_EQ(type->window() > 0, columns * element >= 64);
                    for (std::size_t from = 0; from < expected.size(); from += 61)
                        for (const std::size_t size : {std::size_t{1}, element, 5 * element + 3,
                                                       rows * element * 8, expected.size()}) {
                            const std::size_t n = std::min(size, expected.size() - from);
                            std::vector<std::byte> out(n);
                            type->pack(memory.data(), count, from, out);
                            ASSERT_TRUE(
                                std::equal(out.begin(), out.end(),
                                           expected.begin() + static_cast<std::ptrdiff_t>(from)))
                                << element << " " << rows << " x " << columns;
                            std::vector<std::byte> back(memory.size());
                            type->unpack(back.data(), count, from, out);
                            std::vector<std::byte> again(n);
                            type->pack(back.data(), count, from, again);
                            ASSERT_EQ(again, out);
                            const auto touched = static_cast<std::size_t>(
                                std::count_if(back.begin(), back.end(),
                                              [](std::byte b) { return b != std::byte{0}; }));
                            ASSERT_LE(touched, n);
                        }
                }
}

}  // namespace
}  // namespace railyard::mpi
