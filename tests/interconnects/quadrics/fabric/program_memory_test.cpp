// A program's buffers as pages of its adapter's address space.

#include "interconnects/quadrics/fabric/program_memory.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>

#include <array>
#include <cstring>

namespace railyard::quadrics {
namespace {

using elan::Address;
using elan::Page;
using elan::page_size;

class ProgramMemoryTest : public ::testing::Test {
  protected:
    std::span<std::byte> part(std::size_t offset, std::size_t size) {
        return std::span(host_).subspan(offset, size);
    }
    bool is_mapped(Address address) { return space_.home_of(address).has_value(); }
    Page::State state(Address address) { return space_.find(address)->state; }

    elan::Frames frames_{Bytes(1 << 20)};
    elan::AddressSpace space_{frames_, 0};
    ProgramMemory memory_{space_};
    std::vector<std::byte> host_{16 * page_size};
};

TEST_F(ProgramMemoryTest, ABufferKeepsItsPlaceAndPartsOfItHaveTheirs) {
    const ProgramMemory::Use whole = memory_.take(part(100, 3 * page_size));
    EXPECT_EQ(whole.address % page_size, 0U) << "counted from its beginning";
    EXPECT_EQ(memory_.take(part(100, 3 * page_size)).address, whole.address);
    EXPECT_EQ(memory_.take(part(5100, 64)).address, whole.address + 5000);
    EXPECT_EQ(memory_.take({}).mapping, elan::null_address);
    EXPECT_EQ(memory_.take_scratch({}).mapping, elan::null_address);
    memory_.let_go({});
}

TEST_F(ProgramMemoryTest, PagesAreBoundWhenFirstTouched) {
    const ProgramMemory::Use use = memory_.take(part(0, 2 * page_size));
    EXPECT_EQ(state(use.address), Page::State::on_demand);
    const ProgramMemory::Use scratch = memory_.take_scratch(part(0, 100));
    EXPECT_EQ(state(scratch.address), Page::State::bound) << "software uses it all the time";
}

/// The adapter moves the program's own bytes, while it may.
TEST_F(ProgramMemoryTest, TheBytesAreTheProgramsWhileARequestIsUnderWay) {
    const std::array<std::byte, 3> sent{std::byte{1}, std::byte{2}, std::byte{3}};
    std::array<std::byte, 3> got{};
    for (const std::size_t size : {3UL, 100UL, 2UL * page_size})
        for (const bool scratch : {false, true}) {
            const std::span<std::byte> buffer = part(8 * page_size, size);
            const auto use = scratch ? memory_.take_scratch(buffer) : memory_.take(buffer);
            ASSERT_TRUE(space_.store(use.address, sent));
            EXPECT_EQ(std::memcmp(buffer.data(), sent.data(), sent.size()), 0);
            buffer[1] = std::byte{9};
            ASSERT_TRUE(space_.load(use.address, got));
            EXPECT_EQ(got[1], std::byte{9});
            memory_.let_go(use);
            std::memset(buffer.data(), 0, 3);
            (void)space_.store(use.address, sent);
            EXPECT_EQ(buffer[0], std::byte{0}) << "nobody writes there any more";
        }
}

TEST_F(ProgramMemoryTest, TwoRequestsOnABufferHaveItUntilTheLastHasEnded) {
    const std::array<std::byte, 1> sent{std::byte{1}};
    const ProgramMemory::Use one = memory_.take(part(0, 200));
    const ProgramMemory::Use other = memory_.take(part(100, 100));
    memory_.let_go(one);
    ASSERT_TRUE(space_.store(other.address, sent));
    EXPECT_EQ(host_[100], std::byte{1});
    memory_.let_go(other);
    EXPECT_EQ(space_.lent(other.address, 1), nullptr);
}

TEST_F(ProgramMemoryTest, SmallBuffersThatAreUsedOneAfterTheOtherShareAPage) {
    const ProgramMemory::Use first = memory_.take(part(0, 100));
    const ProgramMemory::Use second = memory_.take(part(5000, 100));
    EXPECT_NE(first.address, second.address);
    EXPECT_EQ(first.address / page_size, second.address / page_size);
    const ProgramMemory::Use large = memory_.take(part(10'000, page_size));
    EXPECT_NE(large.address / page_size, first.address / page_size);
    EXPECT_NE(memory_.take(part(20'000, 4000)).address / page_size, first.address / page_size)
        << "it does not fit behind them";
}

TEST_F(ProgramMemoryTest, WhatWasBoundIsBoundInTheLargerBuffer) {
    const ProgramMemory::Use part_of_it = memory_.take(part(2 * page_size, 3 * page_size));
    ASSERT_TRUE(space_.bind(part_of_it.address + page_size));
    const ProgramMemory::Use whole = memory_.take(part(0, 8 * page_size));
    for (std::uint32_t page = 0; page < 8; ++page)
        EXPECT_EQ(state(whole.address + page * page_size),
                  page == 3 ? Page::State::bound : Page::State::on_demand)
            << page;
    EXPECT_TRUE(is_mapped(part_of_it.address)) << "a DMA is still under way there";
    memory_.let_go(part_of_it);
    EXPECT_FALSE(is_mapped(part_of_it.address));
    EXPECT_TRUE(is_mapped(whole.address));
}

TEST_F(ProgramMemoryTest, ScratchMemoryThatIsUsedAtOnceLiesApart) {
    const ProgramMemory::Use first = memory_.take_scratch(part(0, 100));
    const ProgramMemory::Use second = memory_.take_scratch(part(0, 100));
    EXPECT_NE(first.address, second.address);
    memory_.let_go(second);
    EXPECT_EQ(memory_.take_scratch(part(5000, 100)).address, second.address);
    const ProgramMemory::Use large = memory_.take_scratch(part(0, 5 * page_size));
    EXPECT_TRUE(is_mapped(large.address + 5 * page_size - 1));
}

/// Addresses without memory: more than any test may touch.
class LargeProgram : public ProgramMemoryTest {
  protected:
    static constexpr std::size_t size = std::size_t{16} << 30;
    LargeProgram()
        : begin_(static_cast<std::byte*>(::mmap(
              nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
    ~LargeProgram() override { ::munmap(begin_, size); }

    std::span<std::byte> mebibytes(std::size_t offset, std::size_t count) {
        return {begin_ + (offset << 20), count << 20};
    }
    Address use(std::span<std::byte> buffer) {
        const ProgramMemory::Use used = memory_.take(buffer);
        memory_.let_go(used);
        return used.address;
    }

  private:
    std::byte* const begin_;
};

TEST_F(LargeProgram, WhatWasNotUsedForTheLongestTimeIsForgotten) {
    Address places[4] = {};
    for (std::size_t i = 0; i < 4; ++i) {
        places[i] = use(mebibytes(1024 * i, 512));
        space_.bind(places[i] + page_size);
    }
    EXPECT_EQ(use(mebibytes(0, 512)), places[0]) << "two gibibytes have room";
    const Address small = use(mebibytes(8000, 1));
    EXPECT_FALSE(is_mapped(places[1] + (256 << 20))) << "the oldest";
    for (const std::size_t kept : {0UL, 2UL, 3UL})
        EXPECT_EQ(use(mebibytes(1024 * kept, 512)), places[kept]);
    const Address again = use(mebibytes(1024, 512));
    EXPECT_EQ(state(again + page_size), Page::State::on_demand) << "it is as new";
    EXPECT_FALSE(is_mapped(small) && small != again) << "its turn";
    EXPECT_EQ(state(places[0] + page_size), Page::State::bound) << "and nobody else's";
}

TEST_F(LargeProgram, WhatARequestUsesIsForgottenWhenThatHasEnded) {
    const ProgramMemory::Use under_way = memory_.take(mebibytes(0, 512));
    for (std::size_t i = 1; i < 5; ++i)
        use(mebibytes(1024 * i, 512));
    EXPECT_TRUE(is_mapped(under_way.address));
    EXPECT_NE(space_.lent(under_way.address, 1 << 20), nullptr);
    const ProgramMemory::Use anew = memory_.take(mebibytes(0, 512));
    EXPECT_NE(anew.address, under_way.address);
    memory_.let_go(under_way);
    EXPECT_FALSE(is_mapped(under_way.address));
    EXPECT_TRUE(is_mapped(anew.address));
    memory_.let_go(anew);
}

/// However large a message may be, there is a place for it.
TEST_F(LargeProgram, BuffersOfAllSizesFindAPlace) {
    std::size_t chance = 7;
    for (int round = 0; round < 60; ++round) {
        chance = chance * 6364136223846793005 + 1442695040888963407;
        const std::size_t count = 1 + (chance >> 40) % 1024;
        const std::size_t offset = (chance >> 20) % ((size >> 20) - 1024);
        const ProgramMemory::Use used = memory_.take(mebibytes(offset, count));
        EXPECT_TRUE(is_mapped(used.address));
        EXPECT_TRUE(is_mapped(used.address + static_cast<Address>((count << 20) - 1)));
        memory_.let_go(used);
    }
}

TEST_F(ProgramMemoryTest, WhatIsClosedIsReachedByNobody) {
    const ProgramMemory::Use uses[] = {memory_.take(part(0, 100)),
                                       memory_.take(part(5000, 2 * page_size)),
                                       memory_.take_scratch(part(0, 100))};
    memory_.close();
    for (const ProgramMemory::Use& use : uses) {
        EXPECT_FALSE(is_mapped(use.address));
        EXPECT_EQ(space_.lent(use.address, 1), nullptr);
    }
}

}  // namespace
}  // namespace railyard::quadrics
