// Regions as pages of an adapter's address space.

#include "interconnects/quadrics/fabric/memory_map.hpp"

#include <gtest/gtest.h>

namespace railyard::quadrics {
namespace {

using elan::Page;
using virtual_time::Extent;

class MemoryMapTest : public ::testing::Test {
  protected:
    Extent piece(std::uint64_t offset, fabric::Home home = fabric::Home::host,
                 MemoryMap::RegionId region = 7) {
        return {region, Bytes(offset), Bytes(64), home, Bytes(3 * elan::page_size)};
    }
    bool is_mapped(elan::Address address) { return space_.home_of(address).has_value(); }

    elan::Frames frames_{Bytes(1 << 20)};
    elan::AddressSpace space_{frames_, 0};
    MemoryMap map_{space_};
    const MemoryMap::RegionId use_ = 7;
};

TEST_F(MemoryMapTest, ARegionKeepsItsPlace) {
    const elan::Address first = map_.take(piece(0));
    EXPECT_EQ(map_.take(piece(5000)), first + 5000);
}

TEST_F(MemoryMapTest, PagesAreBoundWhenFirstTouched) {
    const elan::Address address = map_.take(piece(0));
    EXPECT_EQ(space_.find(address)->state, Page::State::on_demand);
    ASSERT_TRUE(space_.bind(address));
    EXPECT_EQ(space_.find(address)->state, Page::State::bound);
    EXPECT_EQ(space_.find(address)->frame.bytes, nullptr) << "only its timing counts";
}

TEST_F(MemoryMapTest, TheAdaptersMemoryIsItsOwn) {
    EXPECT_EQ(space_.home_of(map_.take(piece(0))), elan::Home::main);
    EXPECT_EQ(space_.home_of(map_.take(piece(0, fabric::Home::adapter, 8))), elan::Home::sdram);
}

TEST_F(MemoryMapTest, ARegionThatIsGoneStaysUntilItsDmasHaveEnded) {
    const elan::Address address = map_.take(piece(0));
    map_.take(piece(64));
    map_.forget(use_);
    EXPECT_TRUE(is_mapped(address));
    map_.let_go(use_);
    EXPECT_TRUE(is_mapped(address));
    map_.let_go(use_);
    EXPECT_FALSE(is_mapped(address));
}

TEST_F(MemoryMapTest, ARegionThatNobodyUsesGoesAtOnce) {
    const elan::Address address = map_.take(piece(0));
    map_.let_go(use_);
    EXPECT_TRUE(is_mapped(address));
    map_.forget(use_);
    EXPECT_FALSE(is_mapped(address));
    map_.forget(use_);  // once more does no harm
}

TEST_F(MemoryMapTest, ASystemBufferIsAlwaysLargeEnough) {
    const elan::Address small = map_.system_buffer(Bytes(1));
    const elan::Address large = map_.system_buffer(Bytes(1 << 20));
    EXPECT_NE(small, large);
    EXPECT_TRUE(is_mapped(large + (1 << 20) - 1));
    EXPECT_EQ(map_.system_buffer(Bytes(1)), small) << "and a small message stays where it was";
}

TEST_F(MemoryMapTest, SmallBuffersThatAreUsedOneAfterTheOtherShareAPage) {
    const Extent one{1, Bytes(), Bytes(100), fabric::Home::host, Bytes(100), true};
    const Extent two{2, Bytes(), Bytes(100), fabric::Home::host, Bytes(100), true};
    const Extent large{3, Bytes(), Bytes(8), fabric::Home::host, Bytes(2 * elan::page_size)};
    const elan::Address first = map_.take(one);
    const elan::Address second = map_.take(two);
    EXPECT_NE(first, second);
    EXPECT_EQ(first / elan::page_size, second / elan::page_size);
    EXPECT_EQ(map_.take(large) % elan::page_size, 0u) << "counted from its beginning";
    map_.forget(1);
    map_.let_go(1);
    EXPECT_EQ(map_.take({4, Bytes(), Bytes(100), fabric::Home::host, Bytes(100), true}), first);
}

TEST_F(MemoryMapTest, WhatWasBoundIsBoundInTheLargerRegion) {
    const elan::Address part = map_.take(piece(0));
    ASSERT_TRUE(space_.bind(part + elan::page_size));
    const std::uint64_t before = 2 * elan::page_size;
    const Extent whole{9, Bytes(before), Bytes(3 * elan::page_size), fabric::Home::host,
                       Bytes(8 * elan::page_size)};
    map_.became_part(use_, whole);
    map_.forget(use_);
    const elan::Address larger = map_.take(whole) - static_cast<elan::Address>(before);
    for (std::uint32_t page = 0; page < 8; ++page)
        EXPECT_EQ(space_.find(larger + page * elan::page_size)->state,
                  page == 3 ? Page::State::bound : Page::State::on_demand)
            << page;
    EXPECT_TRUE(is_mapped(part)) << "a DMA is still under way there";
    map_.let_go(use_);
    EXPECT_FALSE(is_mapped(part));
}

}  // namespace
}  // namespace railyard::quadrics
