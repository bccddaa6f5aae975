#include "base/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "railyard/base/error.hpp"

namespace railyard {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;
using Cores = std::vector<int>;

/// Runs in a thread of its own, because pinning cannot be taken back.
template <class Call>
void elsewhere(Call call) {
    std::thread(call).join();
}

TEST(OneOfEachFirst, SiblingsComeLast) {
    const std::vector<Cores> physical{{0, 4}, {1, 5}, {2, 6}, {3, 7}};
    const Cores all{0, 1, 2, 3, 4, 5, 6, 7};
    EXPECT_THAT(one_of_each_first(physical, all), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    const std::vector<Cores> paired{{0, 1}, {2, 3}, {4, 5}};
    EXPECT_THAT(one_of_each_first(paired, Cores{0, 1, 2, 3, 4, 5}), ElementsAre(0, 2, 4, 1, 3, 5));
}

TEST(OneOfEachFirst, OnlyWhatIsAllowed) {
    const std::vector<Cores> paired{{0, 1}, {2, 3}, {4, 5}};
    EXPECT_THAT(one_of_each_first(paired, Cores{1, 2, 3}), ElementsAre(1, 2, 3));
    EXPECT_THAT(one_of_each_first(paired, Cores{2, 3, 5}), ElementsAre(2, 5, 3));
    EXPECT_THAT(one_of_each_first(paired, Cores{}), IsEmpty());
}

TEST(OneOfEachFirst, CoresThatTheTopologyDoesNotKnowComeLast) {
    const std::vector<Cores> paired{{0, 1}};
    EXPECT_THAT(one_of_each_first(paired, Cores{0, 1, 8, 9}), ElementsAre(0, 1, 8, 9));
    EXPECT_THAT(one_of_each_first({}, Cores{3, 4}), ElementsAre(3, 4));
}

TEST(Cores, UsableAreTheAllowedInAnotherOrder) {
    const Cores allowed = allowed_cores();
    EXPECT_FALSE(allowed.empty());
    EXPECT_TRUE(std::is_sorted(allowed.begin(), allowed.end()));
    EXPECT_THAT(usable_cores(), UnorderedElementsAreArray(allowed));
}

TEST(Cores, SpreadGivesEachRankItsOwn) {
    const Cores usable = usable_cores();
    const int n = static_cast<int>(usable.size());
    for (int ranks = 1; ranks <= n; ++ranks)
        EXPECT_EQ(spread(ranks), Cores(usable.begin(), usable.begin() + ranks)) << ranks;
}

TEST(Cores, SpreadGivesNoneIfThereAreNotEnough) {
    const int n = static_cast<int>(allowed_cores().size());
    EXPECT_THAT(spread(n + 1), IsEmpty());
    EXPECT_THAT(spread(std::numeric_limits<int>::max()), IsEmpty());
    EXPECT_THAT(spread(0), IsEmpty());
    EXPECT_THAT(spread(-1), IsEmpty());
}

TEST(Pin, TheThreadRunsThereAndNowhereElse) {
    for (const int core : usable_cores())
        elsewhere([core] {
            pin_to(core);
            EXPECT_EQ(::sched_getcpu(), core);
            EXPECT_THAT(allowed_cores(), ElementsAre(core));
            EXPECT_THAT(usable_cores(), ElementsAre(core));
            EXPECT_THAT(spread(1), ElementsAre(core));
            EXPECT_THAT(spread(2), IsEmpty());
        });
}

TEST(Pin, OthersStayWhereTheyWere) {
    const Cores before = allowed_cores();
    elsewhere([&] { pin_to(before.front()); });
    EXPECT_EQ(allowed_cores(), before);
}

TEST(Pin, SaysWhichCoreAndWhichAreAllowed) {
    const Cores before = allowed_cores();
    const int missing = 60'000;  // more than any machine has
    try {
        pin_to(missing);
        FAIL() << "pinned to core " << missing;
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("cannot pin to core 60000: "));
        EXPECT_THAT(error.what(),
                    HasSubstr("(this process may use: " + std::to_string(before.front())));
    }
    EXPECT_EQ(allowed_cores(), before);
}

TEST(Pin, NumbersThatAreNoCore) {
    EXPECT_THROW(pin_to(-1), Error);
    EXPECT_THROW(pin_to(std::numeric_limits<int>::max()), Error);
}

TEST(Machine, Facts) {
    const Machine& m = machine();
    EXPECT_GE(m.cores, 1);
    EXPECT_GE(m.threads, m.cores);
    EXPECT_GE(static_cast<std::size_t>(m.threads), allowed_cores().size());
    EXPECT_GT(m.memory, 16_MiB);
    // Zero is "not known", which some virtual machines force upon us.
    if (m.l1d != Bytes() && m.l2 != Bytes()) {
        EXPECT_GE(m.l2, m.l1d);
    }
    EXPECT_EQ(&machine(), &m);
}

TEST(Machine, ManyMayAskAtOnce) {
    std::vector<std::thread> askers;
    for (int i = 0; i < 8; ++i)
        askers.emplace_back([] {
            EXPECT_GE(machine().cores, 1);
            EXPECT_FALSE(usable_cores().empty());
        });
    for (std::thread& t : askers)
        t.join();
}

TEST(CpuName, FromAnyProcessorsText) {
    EXPECT_EQ(cpu_name("processor\t: 0\nmodel\t\t: 85\nmodel name\t: Xeon(R) Gold 6140\n"
                       "processor\t: 1\nmodel name\t: other\n"),
              "Xeon(R) Gold 6140");
    EXPECT_EQ(cpu_name("CPU implementer\t: 0x41\nCPU part\t: 0xd40\n"), "Neoverse-V1");
    EXPECT_EQ(cpu_name("CPU implementer\t: 0x99\nCPU part\t: 0x123"),
              "Arm implementer 0x99 part 0x123");
    EXPECT_EQ(cpu_name(""), "");
    EXPECT_EQ(cpu_name("model name\t:\n"), "");
    EXPECT_EQ(cpu_name("no colon\n\n:\n"), "");
}

TEST(Topology, PartsOfTheMachineHoldTheirCores) {
    const Cores cores = usable_cores();
    const auto of_first = hardware().holding(std::span(cores).first(1));
    // Each core is in one part of every kind that the machine has; thread and physical core always.
    EXPECT_GE(of_first[hardware_kinds.size() - 1], 0);
    EXPECT_GE(of_first[hardware_kinds.size() - 2], 0);
    EXPECT_EQ(hardware_kinds.back(), "PU");
    // No thread is several cores; none is a core that is not there.
    const int beyond[] = {cores.front(), 1 << 20};
    for (const int part : hardware().holding(beyond))
        EXPECT_EQ(part, -1);
    if (cores.size() < 2) return;
    const auto of_two = hardware().holding(std::span(cores).first(2));
    EXPECT_EQ(of_two.back(), -1);
    for (std::size_t kind = 0; kind < of_two.size(); ++kind)
        if (of_two[kind] >= 0) {
            EXPECT_EQ(of_two[kind], of_first[kind]) << hardware_kinds[kind];
        }
}

TEST(Topology, MadeUpMachinesHaveTheirParts) {
    const Hardware machine = made_up_hardware("package:2 l3:2 core:2 pu:2");
    EXPECT_EQ(machine.parts[0].size(), 2u);
    EXPECT_EQ(machine.parts[2].size(), 4u);
    EXPECT_TRUE(machine.parts[3].empty()) << "it has no L2 caches";
    EXPECT_EQ(machine.parts[6].size(), 16u);
    // Package, NUMA node, caches from L3 to L1, core, thread.
    EXPECT_THAT(machine.holding(Cores{13}), ElementsAre(1, 0, 3, -1, -1, 6, 13));
    EXPECT_THAT(machine.holding(Cores{8, 12}), ElementsAre(1, 0, -1, -1, -1, -1, -1));
    EXPECT_THROW(made_up_hardware("nonsense:3"), Error);
}

}  // namespace
}  // namespace railyard
