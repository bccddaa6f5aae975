// The adapter's memory: EL-1 to EL-4, and the address space of a process, GV-2 to GV-6.

#include <gmock/gmock.h>

#include "interconnects/quadrics/elan/mmu.hpp"
#include "railyard/base/error.hpp"
#include "sim/random.hpp"

namespace railyard::elan {
namespace {

using namespace railyard::literals;

class ElanMemory : public ::testing::Test {
  protected:
    Mmu::Translation translate(const AddressSpace& tables, ContextId context, Address address) {
        if (const auto known = mmu.look(context, address)) return *known;
        mmu.walk(context, tables, address, Access::read, [] {});
        engine.run();
        const auto found = mmu.look(context, address);
        EXPECT_TRUE(found);
        return found.value_or(Mmu::Translation{});
    }

    Parameters parameters;
    sim::Engine engine;
    MemoryPath path{engine, parameters, 0};
    Cache cache{engine, path, parameters};
    Mmu mmu{cache, parameters.tlb_entries};
    Frames frames{parameters.sdram_size};
    AddressSpace space{frames, 0};
};

// EL-1
TEST_F(ElanMemory, HasEightRequestsOutstandingAtMost) {
    int done = 0;
    for (int i = 0; i < 40; ++i)
        path.read({i % 2 == 0 ? Home::main : Home::sdram, 64_B}, false, [&] { ++done; });
    engine.run();
    EXPECT_EQ(done, 40);
    EXPECT_EQ(path.most_outstanding(), 8U);
}

// Blocks that are asked for together begin and end when they would one by one, whoever comes
// between: processors and fills, which wait for no turn, and other requests.
TEST_F(ElanMemory, BlocksTogetherTakeAsLongAsOneByOne) {
    MemoryPath single{engine, parameters, 1};
    struct Step {
        std::uint64_t kind;
        Home home;
        unsigned count;
        std::array<Time, 2> together;  // issued and done
        std::array<Time, 2> apart;
    };
    std::vector<Step> steps(400);
    const auto ask = [&](MemoryPath& by, Step& step, std::array<Time, 2>& times,
                         unsigned requests) {
        const auto issued = [&] { times[0] = engine.now(); };
        const auto done = [&] { times[1] = engine.now(); };
        const MemoryPath::Blocks blocks{step.home, 64_B, step.count / requests};
        if (step.kind == 0) return by.host_access(8_B, step.count > 3, done);
        if (step.kind == 1) return by.fill(60_ns, done);
        for (unsigned n = 0; n < requests; ++n)
            step.kind > 4 ? by.write(blocks, issued, done) : by.read(blocks, n == 0, done);
    };
    sim::Random random(7);
    Time at;
    for (Step& step : steps) {
        at = at + Duration::ps(static_cast<std::int64_t>(random.below(1'200'000)));
        step.kind = random.below(8);
        step.home = random.below(3) == 0 ? Home::sdram : Home::main;
        step.count = static_cast<unsigned>(1 + random.below(6));
        engine.schedule(at, [&] {
            ask(path, step, step.together, 1);
            ask(single, step, step.apart, step.count);
        });
    }
    engine.run();
    for (const Step& step : steps)
        EXPECT_EQ(step.together, step.apart);
    EXPECT_EQ(path.pci().busy(), single.pci().busy());
    EXPECT_EQ(path.most_outstanding(), single.most_outstanding());
    EXPECT_EQ(path.most_outstanding(), 8U);
}

// What a reset does to the cache.
TEST_F(ElanMemory, FillsAnewWhatItForgot) {
    const auto touch = [&] {
        cache.access(64, [] {});
        engine.run();
    };
    touch();
    touch();
    EXPECT_EQ(cache.fills(), 1U);
    cache.forget_all();
    touch();
    EXPECT_EQ(cache.fills(), 2U);
}

// EL-2: the working set of sixteen pages, and of one more than that.
TEST_F(ElanMemory, TranslatesSixteenPagesWithoutAWalk) {
    const Address base = space.allocate(Home::main, 17 * page_size);
    for (Address i = 0; i < 17; ++i)
        ASSERT_TRUE(space.bind(base + i * page_size));
    for (int round = 0; round < 5; ++round)
        for (Address i = 0; i < 16; ++i)
            translate(space, 0, base + i * page_size);
    EXPECT_EQ(mmu.walks(), 16U);
    for (int round = 0; round < 5; ++round)
        for (Address i = 0; i < 17; ++i)
            translate(space, 0, base + i * page_size);
    // In the first of these rounds, sixteen are still known; from then on none ever is.
    EXPECT_EQ(mmu.walks(), 16U + 1U + 4U * 17U);
}

// EL-2: a walk takes time, and what it does not find is a trap.
TEST_F(ElanMemory, SavesWhatAFaultWasAbout) {
    bool walked = false;
    mmu.walk(3, space, 0x4000'0040, Access::write, [&] { walked = true; });
    EXPECT_FALSE(walked);
    engine.run();
    EXPECT_TRUE(walked);
    EXPECT_GT(engine.now(), Time());
    EXPECT_FALSE(mmu.look(3, 0x4000'0040));
    const auto trap = mmu.take_fault(3, 0x4000'0040);
    ASSERT_TRUE(trap);
    EXPECT_EQ(trap->context, 3U);
    EXPECT_EQ(trap->access, Access::write);
    EXPECT_FALSE(mmu.take_fault(3, 0x4000'0040));
}

// EL-3
TEST_F(ElanMemory, AVirtualAddressBecomesASdramOrAPciAddress) {
    const Address in_elan = space.allocate(Home::sdram, 64);
    const Address in_main = space.allocate(Home::main, 64);
    space.bind(in_elan);
    space.bind(in_main);
    const Mmu::Translation elan = translate(space, 0, in_elan + 8);
    const Mmu::Translation main = translate(space, 0, in_main + 8);
    EXPECT_EQ(elan.home, Home::sdram);
    EXPECT_LT(elan.physical, std::uint64_t{1} << 28);
    EXPECT_EQ(main.home, Home::main);
    EXPECT_LT(main.physical, std::uint64_t{1} << 48);
    EXPECT_EQ(elan.physical % page_size, (in_elan + 8) % page_size);
}

// EL-4: 8 KB in four sets of 2 KB with lines of 32 bytes.
TEST_F(ElanMemory, CachesFourLinesOfEachKind) {
    const auto touch = [&](std::uint64_t address) {
        cache.access(address, [] {});
        engine.run();
    };
    for (std::uint64_t address = 0; address < 8192; address += 4)
        touch(address);
    EXPECT_EQ(cache.fills(), 8192U / 32U);
    for (std::uint64_t address = 0; address < 8192; address += 4)
        touch(address);
    EXPECT_EQ(cache.fills(), 8192U / 32U);
    // A fifth line of the same place drives out the one that was not used for longest.
    touch(8192);
    touch(2048);
    EXPECT_EQ(cache.fills(), 8192U / 32U + 1);
    touch(0);
    EXPECT_EQ(cache.fills(), 8192U / 32U + 2);
}

// EL-4: a hit is served while a fill for another unit is under way.
TEST_F(ElanMemory, ServesHitsWhileItFills) {
    cache.access(0, [] {});
    engine.run();
    std::vector<int> order;
    cache.access(4096, [&] { order.push_back(1); });
    cache.access(8, [&] { order.push_back(2); });
    engine.run();
    EXPECT_THAT(order, ::testing::ElementsAre(2, 1));
}

// GV-2
TEST_F(ElanMemory, TheSameCodeReachesBothMemories) {
    for (const Home home : {Home::sdram, Home::main}) {
        const Address address = space.allocate(home, 2 * page_size);
        const std::uint64_t value = 0x1122'3344'5566'7788;
        EXPECT_TRUE(space.store(address + page_size - 4, std::as_bytes(std::span(&value, 1))));
        std::uint64_t read = 0;
        EXPECT_TRUE(
            space.load(address + page_size - 4, std::as_writable_bytes(std::span(&read, 1))));
        EXPECT_EQ(read, value);
        EXPECT_EQ(space.home_of(address), home);
    }
}

// GV-4: both see a page at the same place, and it is bound when first touched.
TEST_F(ElanMemory, BindsPagesOnDemand) {
    const Address address = space.allocate(Home::main, 3 * page_size);
    EXPECT_EQ(space.find(address)->state, Page::State::on_demand);
    const std::byte one{1};
    EXPECT_TRUE(space.store(address + page_size, std::span(&one, 1)));
    EXPECT_EQ(space.find(address)->state, Page::State::on_demand);
    EXPECT_EQ(space.find(address + page_size)->state, Page::State::bound);
    EXPECT_EQ(space.to_elan(space.to_host(address)), address);
}

// GV-4: the plain allocator's memory may be out of reach.
TEST_F(ElanMemory, PlainMemoryMayLieOutside) {
    AddressSpace wide(frames, 0x1FF'0000'0000);
    EXPECT_FALSE(wide.to_elan(wide.allocate_plain(100)));
}

// GV-5: the example of the paper, and a host of 32 bits.
TEST_F(ElanMemory, MapsA64BitHostByAFixedOffset) {
    AddressSpace wide(frames, 0x1FF'0000'0000);
    EXPECT_EQ(wide.to_host(0x0C80'8000), 0x1FF'0C80'8000U);
    EXPECT_EQ(wide.to_elan(0x1FF'0C80'8000), 0x0C80'8000U);
    EXPECT_EQ(wide.to_elan(0x1FF'FFFF'FFFF), 0xFFFF'FFFFU);
    EXPECT_FALSE(wide.to_elan(0x200'0000'0000));
    EXPECT_EQ(space.to_host(0x0C80'8000), 0x0C80'8000U);
}

// GV-3: what the buffer knew of a page goes with the page.
TEST_F(ElanMemory, ForgetsAPageThatWasUnmapped) {
    space.on_change = [&](std::uint32_t page) { mmu.forget(0, page); };
    std::vector<std::byte> first(page_size);
    const Address address = space.map(first.data(), page_size);
    EXPECT_EQ(translate(space, 0, address).bytes, first.data());
    space.unmap(address, page_size);
    EXPECT_FALSE(mmu.look(0, address));
    mmu.walk(0, space, address, Access::read, [] {});
    engine.run();
    EXPECT_TRUE(mmu.take_fault(0, address));
}

// Places are given again, so that a process may map and unmap for as long as it likes.
// The owner's bytes stand where it lends them, and only for as long.
TEST_F(ElanMemory, MemoryIsLentAndTakenBack) {
    std::array<std::byte, 100> owned{};
    const Address address = space.reserve(Home::main, page_size);
    const Address inside = address + 64;
    const std::array<std::byte, 2> written{std::byte{1}, std::byte{2}};
    space.lend(inside, owned);
    EXPECT_TRUE(space.store(inside + 98, written));
    EXPECT_EQ(owned[99], std::byte{2});
    EXPECT_EQ(space.lent(inside, 100), owned.data());
    EXPECT_EQ(space.lent(inside, 101), nullptr) << "not all of it";
    EXPECT_EQ(space.lent(inside - 1, 1), nullptr);
    EXPECT_TRUE(space.store(inside - 2, written)) << "only its timing counts";
    EXPECT_EQ(owned[0], std::byte{0});
    space.take_back(inside);
    EXPECT_TRUE(space.store(inside, written));
    EXPECT_EQ(owned[0], std::byte{0});
}

TEST_F(ElanMemory, GivesPlacesAgain) {
    std::vector<std::byte> memory(8 * page_size);
    const Address first = space.map(memory.data(), 3 * page_size);
    const Address second = space.map(memory.data(), 5 * page_size);
    space.expose({first, first + page_size - 1, false, false, {}});
    space.unmap(first, 3 * page_size);
    EXPECT_NE(space.map(memory.data(), 4 * page_size), first) << "there is no room for four";
    space.unmap(second, 5 * page_size);
    // Neighbours have become one; what was said of the place before does not count any more.
    EXPECT_EQ(space.map(memory.data(), 8 * page_size), first);
    EXPECT_TRUE(space.allows(1, first, 8 * page_size, Access::write));
    space.unmap(first, 8 * page_size);
    for (int i = 0; i < 3'000; ++i) {  // 6 GiB in all
        const Address place = space.map(nullptr, 512 * page_size);
        EXPECT_EQ(place % page_size, 0U);
        space.unmap(place, 512 * page_size);
    }
}

TEST_F(ElanMemory, SaysWhatCannotBeMapped) {
    EXPECT_THROW(space.map(nullptr, 0), UsageError);
    EXPECT_THROW(space.map(nullptr, (std::uint64_t{1} << 32) + 64), Error);
    EXPECT_THROW(space.map(nullptr, 0xFFFF'FFFF), Error);
    EXPECT_THROW(space.allocate(Home::main, 0xFFFF'FFF0), Error);
}

// GV-6: which segments, with which rights, and to whom.
TEST_F(ElanMemory, IsOpenAsFarAsItsOwnerSays) {
    const Address address = space.allocate(Home::main, 4 * page_size);
    EXPECT_TRUE(space.allows(5, address, 4 * page_size, Access::write));
    space.expose({address + page_size, address + 2 * page_size - 1, true, false, {}});
    EXPECT_TRUE(space.allows(5, address + page_size, 8, Access::read));
    EXPECT_FALSE(space.allows(5, address + page_size, 8, Access::write));
    // A range that lies in part where it may not be written.
    EXPECT_FALSE(space.allows(5, address + page_size - 4, 8, Access::write));
    EXPECT_TRUE(space.allows(5, address, 4 * page_size, Access::read));
    space.expose({address, address + page_size - 1, true, true, std::set<Vpid>{1, 2}});
    EXPECT_TRUE(space.allows(2, address, 8, Access::write));
    EXPECT_FALSE(space.allows(5, address, 8, Access::read));
    EXPECT_FALSE(space.allows(1, 0x4000'0000, 8, Access::read));
    EXPECT_FALSE(space.allows(1, 0xFFFF'FFF8, 16, Access::read));
}

TEST_F(ElanMemory, SaysThatTheSdramIsFull) {
    Frames two(Bytes(2 * page_size));
    two.take(Home::sdram);
    const Frame last = two.take(Home::sdram);
    EXPECT_THROW(two.take(Home::sdram), Error);
    two.give_back(last);
    EXPECT_EQ(two.take(Home::sdram), last);
}

}  // namespace
}  // namespace railyard::elan
