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

}  // namespace
}  // namespace railyard::quadrics
