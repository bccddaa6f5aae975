// The machine that a profile describes.

#include "interconnects/quadrics/fabric/machine_parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interconnects/registry.hpp"
#include "interconnects/virtual/common/engine.hpp"
#include "profiles/members.hpp"
#include "profiles/schema.hpp"
#include "railyard/base/error.hpp"

namespace railyard::quadrics {
namespace {

using profiles::members;
using ::testing::HasSubstr;

Parameters profile() {
    const std::string folder = RAILYARD_SOURCE_DIR "/tests/interconnects/quadrics/fabric/";
    return read(profiles::load_profile(interconnects::language(), folder + "machine.toml"));
}

constexpr fabric::NodeId nodes = 16;

TEST(MachineParameters, AreThoseOfTheMachineWhereTheProfileSaysSo) {
    const std::string folder = RAILYARD_SOURCE_DIR "/tests/interconnects/quadrics/fabric/";
    const auto loaded = profiles::load_profile(interconnects::language(), folder + "machine.toml");
    EXPECT_EQ(loaded.engine->name, "elan");
    EXPECT_EQ(machine_parameters(profile(), nodes), elan::Parameters());
}

/// Some value that is allowed, and that the profile does not have.
profiles::Value other(const profiles::Key& key) {
    using profiles::Unit;
    switch (key.allowed.unit) {
        case Unit::time:
            return Duration::ns(7);
        case Unit::rate:
            return Rate::bytes_per_second(7'000'000U);
        case Unit::size:
            return Bytes(7);
        case Unit::count:
            return 5U;
        default:
            return profiles::Word{1};
    }
}

TEST(MachineParameters, EveryMemberHasItsKey) {
    EXPECT_EQ(elan_rows().size(), members<Elan>());
}

TEST(MachineParameters, DependOnEveryKeyOfTheirTable) {
    const elan::Parameters before = machine_parameters(profile(), nodes);
    for (const profiles::Row<Elan>& row : elan_rows()) {
        Parameters changed = profile();
        row.set(changed.elan, other(row));
        EXPECT_NE(machine_parameters(changed, nodes), before) << row.path();
    }
}

TEST(MachineParameters, TakeFromOtherTablesWhatTheySay) {
    const elan::Parameters before = machine_parameters(profile(), nodes);
    for (const std::string path :
         {"host.detect", "host.interrupt", "host.copy", "adapter.buffer", "adapter.internal",
          "memory.size", "memory.rate", "translation.entries", "translation.first_use", "link.rate",
          "link.header", "network.hop", "network.dimension", "reliability.attempts", "tagged.match",
          "tagged.posted_entry"}) {
        const auto row = std::ranges::find(hardware::rows(), path, &profiles::Key::path);
        ASSERT_NE(row, hardware::rows().end()) << path;
        Parameters changed = profile();
        row->set(changed, other(*row));
        EXPECT_NE(machine_parameters(changed, nodes), before) << path;
    }
}

TEST(MachineParameters, HaveATreeThatIsLargeEnough) {
    const auto dimension = [](fabric::NodeId many) {
        return machine_parameters(profile(), many).network.dimension;
    };
    EXPECT_EQ(dimension(1), 2U) << "at least the profile's";
    EXPECT_EQ(dimension(16), 2U);
    EXPECT_EQ(dimension(17), 3U);
    EXPECT_EQ(dimension(1025), 6U);
}

TEST(MachineParameters, WhatIsSwitchedOffLimitsNothing) {
    Parameters open = profile();
    open.host.copy = open.memory.rate = open.adapter.internal = Rate();
    const elan::Parameters machine = machine_parameters(open, nodes);
    EXPECT_EQ(Bytes(4096) / machine.host.copy, Duration());
    EXPECT_EQ(Bytes(4096) / machine.sdram, Duration());
    EXPECT_EQ(Bytes(4096) / machine.internal_bus, Duration());
}

std::string refusal(void (*change)(Parameters&)) {
    Parameters changed = profile();
    change(changed);
    try {
        machine_parameters(changed, nodes);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "it was taken";
}

TEST(MachineParameters, RefuseAMachineThatCannotBeBuilt) {
    using P = Parameters;
    EXPECT_EQ(refusal([](P& p) { p.link.packet = Bytes(2048); }),
              "profile machine: link.packet: the machine of [elan] has 320 B, not 2 KiB; or choose "
              "another, with 'engine = \"model\"'");
    EXPECT_THAT(refusal([](P& p) { p.link.block = Bytes(32); }), HasSubstr("link.block"));
    EXPECT_THAT(refusal([](P& p) { p.link.header = Bytes(5000); }), HasSubstr("link.header"));
    EXPECT_THAT(refusal([](P& p) { p.translation.page = Bytes(8192); }), HasSubstr("not 8 KiB"));
    EXPECT_THAT(refusal([](P& p) { p.translation.entries = 0; }), HasSubstr("at least 1"));
    EXPECT_THAT(refusal([](P& p) { p.network.topology = hardware::Topology::crossbar; }),
                HasSubstr("'fat_tree'"));
    EXPECT_THAT(refusal([](P& p) { p.adapter.ports = 2; }), HasSubstr("one link a node"));
    EXPECT_THAT(refusal([](P& p) { p.bus.other = Rate::bytes_per_second(1U); }),
                HasSubstr("bus.other: the machine of [elan] has its bus to itself"));
    EXPECT_THAT(refusal([](P& p) { p.network.buffer = Bytes(4096); }), HasSubstr("elan.fifo"));
    EXPECT_THAT(refusal([](P& p) { p.adapter.receive_buffer = Bytes(4096); }),
                HasSubstr("acknowledgments"));
    EXPECT_THAT(refusal([](P& p) { p.reliability.rnr_timer = Duration::us(1); }),
                HasSubstr("reliability.rnr_timer"));
    EXPECT_THAT(refusal([](P& p) { p.reliability.rnr_breaks = true; }),
                HasSubstr("reliability.rnr_breaks"));
    EXPECT_THAT(refusal([](P& p) { p.memory.size = Bytes(); }), HasSubstr("at most 192 MiB"));
    EXPECT_THAT(refusal([](P& p) { p.memory.size = Bytes(1 << 30); }), HasSubstr("at most"));
    EXPECT_THAT(refusal([](P& p) { p.tagged.eager_limit = Bytes(289); }),
                HasSubstr("at most 288 B with an envelope"));
}

}  // namespace
}  // namespace railyard::quadrics
