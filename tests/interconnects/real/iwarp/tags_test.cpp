#include "interconnects/real/iwarp/tags.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace railyard::iwarp {
namespace {

using fabric::Access;

constexpr Domain domain{7};
constexpr Asker asker{domain, StreamId{3}};

class Tags : public ::testing::Test {
  protected:
    std::uint32_t add(Access access = Access::all, std::uint64_t base = 0) {
        return table.add({.memory = memory, .base = base, .access = access, .domain = domain});
    }
    TagFault fault(std::uint32_t stag, std::uint64_t to, std::uint64_t length, Asker who = asker) {
        return table.check(stag, who, to, length, Access::remote_write).fault;
    }
    std::array<std::byte, 100> memory{};
    TagTable table;
};

TEST_F(Tags, LeadToTheirMemory) {
    const std::uint32_t stag = add(Access::all, 1000);
    const TagTable::Access access = table.check(stag, asker, 1010, 90, Access::remote_write);
    EXPECT_EQ(access.fault, TagFault::none);
    EXPECT_EQ(access.data, memory.data() + 10);
    EXPECT_TRUE(access.lease.holds());
}

TEST_F(Tags, AreBoundToBounds) {
    const std::uint32_t stag = add(Access::all, 1000);
    EXPECT_EQ(fault(stag, 1000, 100), TagFault::none);
    EXPECT_EQ(fault(stag, 1000, 101), TagFault::out_of_bounds);
    EXPECT_EQ(fault(stag, 999, 1), TagFault::out_of_bounds);
    EXPECT_EQ(fault(stag, 1099, 1), TagFault::none);
    EXPECT_EQ(fault(stag, 1100, 1), TagFault::out_of_bounds);
    EXPECT_EQ(fault(stag, ~0ull, 1), TagFault::out_of_bounds);  // ends at 2^64: does not wrap
    EXPECT_EQ(fault(stag, ~0ull, 2), TagFault::wraps);
    EXPECT_EQ(fault(stag, 1000, ~0ull), TagFault::wraps);
}

TEST_F(Tags, MayReachTheEndOfTheNumbers) {
    const std::uint32_t stag = add(Access::all, 0 - std::uint64_t{100});
    EXPECT_EQ(fault(stag, ~0ull, 1), TagFault::none);
    EXPECT_EQ(fault(stag, 0 - std::uint64_t{100}, 100), TagFault::none);
    EXPECT_EQ(fault(stag, ~0ull, 2), TagFault::wraps);
}

TEST_F(Tags, AreBoundToADomainAndAStream) {
    const std::uint32_t shared = add();
    EXPECT_EQ(fault(shared, 0, 1, {domain, StreamId{9}}), TagFault::none);
    EXPECT_EQ(fault(shared, 0, 1, {Domain{8}, StreamId{3}}), TagFault::not_of_stream);
    const std::uint32_t own = table.add(
        {.memory = memory, .access = Access::all, .domain = domain, .stream = StreamId{3}});
    EXPECT_EQ(fault(own, 0, 1), TagFault::none);
    EXPECT_EQ(fault(own, 0, 1, {domain, StreamId{4}}), TagFault::not_of_stream);
    EXPECT_EQ(fault(own, 0, 1, {domain, StreamId::any}), TagFault::not_of_stream);
}

TEST_F(Tags, AreBoundToRights) {
    const std::uint32_t stag = add(Access::remote_read);
    EXPECT_EQ(table.check(stag, asker, 0, 1, Access::remote_read).fault, TagFault::none);
    EXPECT_EQ(table.check(stag, asker, 0, 1, Access::remote_write).fault, TagFault::no_right);
    EXPECT_EQ(table.check(stag, asker, 0, 8, Access::remote_atomic).fault, TagFault::no_right);
    // DDP looks at bounds first, RDMAP at rights.
    EXPECT_EQ(table.check(stag, asker, 99, 2, Access::remote_write).fault, TagFault::out_of_bounds);
    EXPECT_EQ(table.check_request(stag, asker, 99, 2, Access::remote_atomic).fault,
              TagFault::no_right);
    EXPECT_EQ(table.check_request(stag, asker, 99, 2, Access::remote_read).fault,
              TagFault::out_of_bounds);
}

// IW-5: what was never made known, or is no longer, cannot be used.
TEST_F(Tags, EndWithTheirRegion) {
    const std::uint32_t stag = add();
    const Lease lease = table.lease(stag);
    EXPECT_TRUE(lease.holds());
    table.remove(stag);
    EXPECT_FALSE(lease.holds());
    EXPECT_FALSE(table.lease(stag).holds());
    EXPECT_EQ(fault(stag, 0, 1), TagFault::invalid);
    EXPECT_TRUE(Lease().holds());
    const std::uint32_t next = add();  // takes the same entry
    EXPECT_FALSE(lease.holds());
    EXPECT_NE(next, stag);
    table.remove(stag);  // of no effect
    EXPECT_EQ(fault(next, 0, 1), TagFault::none);
}

TEST_F(Tags, ZeroIsNobodys) {
    int calls = 0;
    TagTable from_zero([&] { return calls++ < 3 ? 0u : 77u; });
    EXPECT_EQ(from_zero.add({.memory = memory}), 77u);
    EXPECT_EQ(from_zero.check(0, {}, 0, 1, Access::local).fault, TagFault::invalid);
}

TEST_F(Tags, AreNeverGivenTwice) {
    int calls = 0;
    TagTable table_of_few([&] { return static_cast<std::uint32_t>(1 + calls++ / 2); });
    EXPECT_EQ(table_of_few.add({.memory = memory}), 1u);
    EXPECT_EQ(table_of_few.add({.memory = memory}), 2u);
    EXPECT_EQ(table_of_few.add({.memory = memory}), 3u);
}

TEST_F(Tags, AreSpreadOverAllNumbers) {
    std::set<std::uint32_t> seen;
    std::array<int, 16> of_each{};
    for (int i = 0; i < 4000; ++i) {
        const std::uint32_t stag = add();
        EXPECT_TRUE(seen.insert(stag).second);
        ++of_each[stag >> 28];
    }
    for (const int n : of_each)
        EXPECT_GT(n, 120);  // 250 expected; fewer by chance: once in 10^18 runs
}

TEST_F(Tags, AreFoundWhoeverElseComesAndGoes) {
    // Many collide: the low bits are few.
    std::uint32_t next = 0;
    TagTable crowded([&] {
        ++next;
        return next << 16 | next % 5;
    });
    std::vector<std::uint32_t> alive;
    for (int i = 0; i < 3000; ++i) {
        alive.push_back(crowded.add({.memory = memory, .access = Access::all, .domain = domain}));
        if (i % 3 == 2) {
            const std::size_t victim = static_cast<std::size_t>(i * 7) % alive.size();
            crowded.remove(alive[victim]);
            EXPECT_EQ(crowded.check(alive[victim], asker, 0, 1, Access::local).fault,
                      TagFault::invalid);
            alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(victim));
        }
    }
    EXPECT_EQ(crowded.size(), alive.size());
    for (const std::uint32_t stag : alive)
        EXPECT_EQ(crowded.check(stag, asker, 0, 1, Access::local).fault, TagFault::none);
}

TEST_F(Tags, AreInvalidatedByThoseWhoMay) {
    int owner = 0;
    Registration registration{.memory = memory, .domain = domain, .owner = &owner};
    const std::uint32_t never = table.add(registration);
    EXPECT_EQ(table.check_invalidate(never, asker), TagFault::not_of_stream);
    registration.invalidation = Invalidation::by_its_domain;
    const std::uint32_t by_domain = table.add(registration);
    EXPECT_EQ(table.check_invalidate(by_domain, asker), TagFault::none);
    EXPECT_EQ(table.check_invalidate(by_domain, {Domain{8}, StreamId{3}}), TagFault::not_of_stream);
    registration.invalidation = Invalidation::by_its_stream;
    const std::uint32_t shared = table.add(registration);  // of no one stream
    EXPECT_EQ(table.check_invalidate(shared, asker), TagFault::not_of_stream);
    registration.stream = asker.stream;
    const std::uint32_t own = table.add(registration);
    EXPECT_EQ(table.check_invalidate(own, {domain, StreamId{4}}), TagFault::not_of_stream);
    EXPECT_EQ(table.check_invalidate(own, asker), TagFault::none);
    EXPECT_EQ(table.invalidate(own), &owner);
    EXPECT_EQ(table.check_invalidate(own, asker), TagFault::invalid);
    EXPECT_EQ(table.invalidate(own), nullptr);
}

}  // namespace
}  // namespace railyard::iwarp
