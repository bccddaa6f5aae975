// What the memory of a program is called, and when that is forgotten.

#include "interconnects/virtual/common/program_memory.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "interconnects/virtual/common/network.hpp"

namespace railyard::virtual_time {
namespace {

using namespace literals;

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t MiB = 1024 * KiB;
constexpr std::uint64_t GiB = 1024 * MiB;

/// Writes down what it is told of regions.
class ListeningWire final : public Wire {
  public:
    struct Part {
        std::uint64_t region = 0;
        Extent whole;
    };

    void carry(const Transfer&, sim::Action) override {}
    void forgotten(const End&, std::uint64_t region) override { gone.push_back(region); }
    void became_part(const End&, std::uint64_t region, const Extent& whole) override {
        parts.push_back({region, whole});
    }

    std::vector<std::uint64_t> gone;
    std::vector<Part> parts;
};

class ProgramMemoryTest : public ::testing::Test {
  protected:
    /// So many bytes from there on. Nobody looks at them, so there need not be any.
    static std::span<const std::byte> at(std::uint64_t place, std::uint64_t size) {
        return {reinterpret_cast<const std::byte*>(16 * GiB + place), size};
    }
    Extent name(std::uint64_t place, std::uint64_t size) { return memory_.name(at(place, size)); }

    std::shared_ptr<ListeningWire> wire = std::make_shared<ListeningWire>();

  private:
    sim::Engine engine_;
    hosts::VirtualHost host_{engine_};
    NicState nic_{std::make_shared<Network>(engine_, fabric::Traits{}, wire), NicName{}, host_};
    ProgramMemory memory_{nic_};
};

TEST_F(ProgramMemoryTest, ABufferHasOneNameHoweverOftenItIsUsed) {
    const Extent first = name(0, 64 * KiB);
    const Extent again = name(0, 64 * KiB);
    EXPECT_EQ(again.region, first.region);
    EXPECT_EQ(first.offset, 0_B);
    EXPECT_EQ(first.length, Bytes(64 * KiB));
    EXPECT_EQ(first.region_size, Bytes(64 * KiB));
    const Extent inside = name(5000, 100);
    EXPECT_EQ(inside.region, first.region);
    EXPECT_EQ(inside.offset, 5000_B);
    EXPECT_EQ(inside.length, 100_B);
    EXPECT_TRUE(wire->gone.empty());
    EXPECT_TRUE(wire->parts.empty());
}

TEST_F(ProgramMemoryTest, NothingHasNoName) {
    EXPECT_EQ(name(0, 0).length, 0_B);
    EXPECT_EQ(name(0, 8).region, 1U) << "and takes none";
}

TEST_F(ProgramMemoryTest, BuffersSideBySideAreTwo) {
    const Extent first = name(0, 64 * KiB);
    const Extent second = name(64 * KiB, 64 * KiB);
    EXPECT_NE(second.region, first.region);
    EXPECT_EQ(second.offset, 0_B);
    EXPECT_TRUE(wire->parts.empty());
}

TEST_F(ProgramMemoryTest, WhatIsSmallerThanAPageSharesSome) {
    EXPECT_TRUE(name(0, 4095).shares_pages);
    EXPECT_FALSE(name(64 * KiB, 4096).shares_pages);
}

// From before the first to behind the last, and what was between them, too.
TEST_F(ProgramMemoryTest, WhatOverlapsOthersTakesThemIn) {
    const Extent low = name(100 * KiB, 10 * KiB);
    const Extent high = name(150 * KiB, 10 * KiB);
    const Extent apart = name(200 * KiB, 10 * KiB);
    const Extent over = name(105 * KiB, 50 * KiB);
    EXPECT_EQ(over.offset, Bytes(5 * KiB)) << "where the lower one begins";
    EXPECT_EQ(over.region_size, Bytes(60 * KiB)) << "up to where the higher one ends";
    ASSERT_EQ(wire->parts.size(), 2U);
    EXPECT_EQ(wire->parts[0].region, low.region);
    EXPECT_EQ(wire->parts[0].whole.region, over.region);
    EXPECT_EQ(wire->parts[0].whole.offset, 0_B);
    EXPECT_EQ(wire->parts[1].region, high.region);
    EXPECT_EQ(wire->parts[1].whole.offset, Bytes(50 * KiB));
    EXPECT_EQ(wire->gone, (std::vector{low.region, high.region}));
    EXPECT_EQ(name(150 * KiB, 10 * KiB).region, over.region);
    EXPECT_EQ(name(200 * KiB, 10 * KiB).region, apart.region);
}

TEST_F(ProgramMemoryTest, BeyondItsCapacityTheLeastRecentlyUsedIsForgotten) {
    const Extent first = name(0, GiB);
    const Extent second = name(2 * GiB, GiB - 8);
    const Extent third = name(4 * GiB, 8);
    EXPECT_TRUE(wire->gone.empty()) << "just full";
    name(0, 100);  // now the second is the oldest
    const Extent fourth = name(6 * GiB, 1);
    EXPECT_EQ(wire->gone, std::vector{second.region});
    EXPECT_EQ(name(0, GiB).region, first.region);
    EXPECT_EQ(name(4 * GiB, 8).region, third.region);
    EXPECT_EQ(name(6 * GiB, 1).region, fourth.region);
    EXPECT_NE(name(2 * GiB, 1).region, second.region) << "it begins anew";
}

TEST_F(ProgramMemoryTest, AsManyGoAsItTakes) {
    std::vector<std::uint64_t> small;
    for (std::uint64_t i = 0; i < 8; ++i)
        small.push_back(name(i * 512 * MiB, 256 * MiB).region);
    EXPECT_TRUE(wire->gone.empty());
    name(8 * GiB, 600 * MiB);
    small.resize(3);
    EXPECT_EQ(wire->gone, small) << "the oldest, in their order";
}

// The count of what is named must not grow by what became part of it.
TEST_F(ProgramMemoryTest, WhatBecamePartOfAnotherCountsOnce) {
    for (std::uint64_t size = 1; size <= GiB; size *= 2)
        name(0, size);
    wire->gone.clear();
    name(2 * GiB, GiB);
    EXPECT_TRUE(wire->gone.empty());
}

TEST_F(ProgramMemoryTest, OneThatIsTooLargeByItselfStays) {
    const Extent other = name(8 * GiB, MiB);
    const Extent huge = name(0, 3 * GiB);
    EXPECT_EQ(wire->gone, std::vector{other.region});
    EXPECT_EQ(name(GiB, GiB).region, huge.region);
}

}  // namespace
}  // namespace railyard::virtual_time
