// The table of hardware behind profiles: complete, and the same in both directions.

#include "interconnects/virtual/hardware/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/quantity.hpp"
#include "profiles/members.hpp"
#include "railyard/base/error.hpp"

namespace railyard::hardware {
namespace {

using namespace profiles;
using ::testing::HasSubstr;

const Row<Parameters>* find_key(std::string_view section, std::string_view name) {
    for (const Row<Parameters>& row : rows())
        if (row.section == section && row.name == name) return &row;
    return nullptr;
}

bool is_section(std::string_view name) {
    const auto all = table().sections;
    return std::ranges::find(all, name, &profiles::Section::name) != all.end();
}

std::size_t keys_of(std::string_view part) {
    std::size_t n = 0;
    for (const Key& key : table().keys)
        n += key.section == part ? 1 : 0;
    return n;
}

TEST(HardwareTable, EveryMemberOfParametersHasItsKey) {
    EXPECT_EQ(keys_of("host"), members<Host>());
    EXPECT_EQ(keys_of("bus"), members<Bus>());
    EXPECT_EQ(keys_of("adapter"), members<Adapter>());
    EXPECT_EQ(keys_of("memory"), members<Memory>());
    EXPECT_EQ(keys_of("translation"), members<Translation>());
    EXPECT_EQ(keys_of("contexts"), members<Contexts>());
    EXPECT_EQ(keys_of("link"), members<Link>());
    EXPECT_EQ(keys_of("network"), members<Network>());
    EXPECT_EQ(keys_of("reliability"), members<Reliability>());
    EXPECT_EQ(keys_of("completion"), members<Completion>());
    EXPECT_EQ(keys_of("connection"), members<Connection>());
    EXPECT_EQ(keys_of("tagged"), members<Tagged>());
    constexpr std::size_t common = 3;  // name, description, and sections of software above
    EXPECT_EQ(keys_of("") + table().sections.size() + common, members<Parameters>());
}

TEST(HardwareTable, KeysAreUniqueExplainedAndOfAPart) {
    std::set<std::string> paths;
    for (const Row<Parameters>& key : rows()) {
        EXPECT_TRUE(paths.insert(key.path()).second) << key.path();
        EXPECT_FALSE(key.explanation.empty()) << key.path();
        EXPECT_TRUE(key.section.empty() || is_section(key.section)) << key.path();
        EXPECT_EQ(find_key(key.section, key.name), &key);
    }
    EXPECT_EQ(find_key("host", "rate"), nullptr);
    EXPECT_FALSE(is_section("hosts"));
}

/// Some value that is not the default.
Value other(const Row<Parameters>& key) {
    switch (key.allowed.unit) {
        case Unit::time:
            return Duration::us(7);
        case Unit::rate:
            return Rate::bytes_per_second(7'000'000U);
        case Unit::size:
            return Bytes(777);
        case Unit::count:
            return std::get<unsigned>(key.get(Parameters())) == 3 ? 2U : 3U;
        case Unit::share:
            return 0.25;
        case Unit::flag:
            return !std::get<bool>(key.get(Parameters()));
        case Unit::word:
            return Word{1 - std::min(1U, std::get<Word>(key.get(Parameters())).index)};
        case Unit::text:
            break;
    }
    return std::string("seven");
}

TEST(HardwareTable, EachKeySetsItsOwnMemberAndNoOther) {
    for (const Row<Parameters>& key : rows()) {
        Parameters changed;
        key.set(changed, other(key));
        for (const Row<Parameters>& each : rows()) {
            const auto now = write(each.get(changed), each.allowed);
            const auto before = write(each.get(Parameters()), each.allowed);
            EXPECT_EQ(now == before, &each != &key) << key.path() << " and " << each.path();
        }
    }
}

TEST(HardwareTable, WhatIsWrittenReadsBack) {
    for (const Row<Parameters>& key : rows()) {
        const Literal literal = write(other(key), key.allowed);
        EXPECT_EQ(write(profiles::read(literal, key.allowed), key.allowed), literal) << key.path();
    }
}

TEST(HardwareTable, ReadsQuantitiesWithTheirUnits) {
    Parameters parameters;
    const auto set = [&](std::string_view part, std::string_view name, const Literal& literal) {
        const Row<Parameters>& key = *find_key(part, name);
        key.set(parameters, profiles::read(literal, key.allowed));
    };
    set("host", "post", "0.9 us");
    set("link", "rate", "831 MB/s");
    set("link", "packet", "1 KiB");
    set("adapter", "ports", std::int64_t{2});
    set("bus", "opposite", 0.5);
    set("bus", "duplex", "half");
    set("tagged", "present", true);
    EXPECT_EQ(parameters.host.post, Duration::ns(900));
    EXPECT_EQ(parameters.link.rate, Rate::bytes_per_second(831'000'000U));
    EXPECT_EQ(parameters.link.packet, Bytes(1024));
    EXPECT_EQ(parameters.adapter.ports, 2U);
    EXPECT_EQ(parameters.bus.opposite, 0.5);
    EXPECT_EQ(parameters.bus.duplex, Duplex::half);
    EXPECT_TRUE(parameters.tagged.present);
}

std::string refusal(std::string_view part, std::string_view name, const Literal& literal) {
    try {
        profiles::read(literal, find_key(part, name)->allowed);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "it was taken";
}

TEST(HardwareTable, SaysWhatIsAllowedAndWhatWasFound) {
    EXPECT_EQ(refusal("host", "post", 0.9),
              "expected a time such as '0.9 us', up to 1 s, found 0.9: it needs a unit, and quotes "
              "around both");
    EXPECT_EQ(refusal("host", "post", "0.9"),
              "expected a time such as '0.9 us', up to 1 s, found '0.9': the unit is missing");
    EXPECT_THAT(refusal("host", "post", "0.9 MB/s"), HasSubstr("units are ps, ns, us, ms and s"));
    EXPECT_THAT(refusal("host", "post", "-1 us"), HasSubstr("it cannot be negative"));
    EXPECT_THAT(refusal("host", "post", "forever"), HasSubstr("found 'forever'"));
    EXPECT_THAT(refusal("host", "post", "2 s"), HasSubstr("up to 1 s, found '2 s'"));
    EXPECT_THAT(refusal("link", "packet", "1024"), HasSubstr("the unit is missing"));
    EXPECT_THAT(refusal("link", "packet", "0 B"), HasSubstr("from 16 B to 1 TiB, found '0 B'"));
    EXPECT_THAT(refusal("link", "rate", "-4 MB/s"), HasSubstr("it cannot be negative"));
    EXPECT_THAT(refusal("link", "rate", "0 MB/s"), HasSubstr("at least 1 B/s"));
    EXPECT_THAT(refusal("link", "rate", "off"), HasSubstr("expected a rate"));
    EXPECT_EQ(refusal("adapter", "ports", std::int64_t{0}),
              "expected a whole number from 1 to 8, found 0");
    EXPECT_THAT(refusal("adapter", "ports", std::int64_t{-1}), HasSubstr("found -1"));
    EXPECT_THAT(refusal("adapter", "ports", 1.5), HasSubstr("found 1.5"));
    EXPECT_THAT(refusal("adapter", "ports", "1"), HasSubstr("found '1'"));
    EXPECT_EQ(refusal("bus", "opposite", 1.5), "expected a number from 0 to 1, found 1.5");
    EXPECT_THAT(refusal("bus", "opposite", std::nan("")), HasSubstr("a number from 0 to 1"));
    EXPECT_EQ(refusal("tagged", "present", "yes"), "expected true or false, found 'yes'");
    EXPECT_EQ(refusal("bus", "duplex", "haf"),
              "expected 'half' or 'full', found 'haf': did you mean 'half'?");
}

TEST(HardwareTable, ALimitCanBeSwitchedOff) {
    const Row<Parameters>& key = *find_key("bus", "read_stream");
    EXPECT_EQ(std::get<Rate>(profiles::read("off", key.allowed)), Rate());
    EXPECT_EQ(write(Rate(), key.allowed), Literal("off"));
    EXPECT_THAT(to_string(key.allowed), HasSubstr("or 'off'"));
}

TEST(Hardware, TraitsFollowTheParameters) {
    Parameters parameters;
    parameters.name = "mine";
    parameters.adapter.ports = 2;
    parameters.memory.size = Bytes(1 << 20);
    parameters.completion.of_writes = false;
    parameters.tagged.present = true;
    parameters.connection.connectionless = true;
    parameters.connection.client_server = false;
    parameters.adapter.max_inline = Bytes(64);
    const fabric::Traits found = traits(parameters);
    EXPECT_EQ(found.name, "mine");
    EXPECT_EQ(found.clock, fabric::Clock::virtual_time);
    EXPECT_EQ(found.ports, 2U);
    EXPECT_TRUE(found.adapter_memory);
    EXPECT_FALSE(found.write_immediate);
    EXPECT_TRUE(found.tagged);
    EXPECT_TRUE(found.connectionless);
    EXPECT_FALSE(found.client_server);
    EXPECT_TRUE(found.crosses_nodes);
    EXPECT_FALSE(found.coherent_atomics);
    EXPECT_EQ(found.max_inline, Bytes(64));
}

}  // namespace
}  // namespace railyard::hardware
