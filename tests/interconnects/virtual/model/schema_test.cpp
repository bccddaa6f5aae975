// The one table behind every profile: complete, and the same in both directions.

#include "interconnects/virtual/model/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/quantity.hpp"
#include "railyard/base/error.hpp"

namespace railyard::model {
namespace {

using ::testing::HasSubstr;

/// Anything that a member can be made from.
struct Any {
    template <class T>
    operator T() const;
};

template <class T, class... Values>
constexpr std::size_t members() {
    if constexpr (requires { T{Values{}..., Any{}}; })
        return members<T, Values..., Any>();
    else
        return sizeof...(Values);
}

std::size_t keys_of(std::string_view part) {
    std::size_t n = 0;
    for (const Key& key : keys())
        n += key.part == part ? 1 : 0;
    return n;
}

TEST(Schema, EveryMemberOfParametersHasItsKey) {
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
    EXPECT_EQ(keys_of("elan"), members<Elan>());
    EXPECT_EQ(keys_of("mpi"), members<Mpi>());
    constexpr std::size_t made = 1;  // mpi_settings, from those of [mpi] that are set
    EXPECT_EQ(keys_of("") + parts().size() + made, members<Parameters>());
}

TEST(Schema, KeysAreUniqueExplainedAndOfAPart) {
    std::set<std::string> paths;
    for (const Key& key : keys()) {
        EXPECT_TRUE(paths.insert(key.path()).second) << key.path();
        EXPECT_FALSE(key.explanation.empty()) << key.path();
        EXPECT_TRUE(key.part.empty() || find_part(key.part) != nullptr) << key.path();
        EXPECT_EQ(find_key(key.part, key.name), &key);
    }
    EXPECT_EQ(find_key("host", "rate"), nullptr);
    EXPECT_EQ(find_part("hosts"), nullptr);
}

/// Some value that is not the default.
Value other(const Key& key) {
    switch (key.allowed.unit) {
        case Unit::time:
            return Duration::us(7);
        case Unit::rate:
            return Rate::bytes_per_second(7'000'000U);
        case Unit::size:
            return Bytes(7);
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

TEST(Schema, EachKeySetsItsOwnMemberAndNoOther) {
    for (const Key& key : keys()) {
        Parameters changed;
        key.set(changed, other(key));
        for (const Key& each : keys()) {
            const auto now = write(each.get(changed), each.allowed);
            const auto before = write(each.get(Parameters()), each.allowed);
            EXPECT_EQ(now == before, &each != &key) << key.path() << " and " << each.path();
        }
    }
}

TEST(Schema, WhatIsWrittenReadsBack) {
    for (const Key& key : keys()) {
        const Literal literal = write(other(key), key.allowed);
        EXPECT_EQ(write(read(literal, key.allowed), key.allowed), literal) << key.path();
    }
}

TEST(Schema, ReadsQuantitiesWithTheirUnits) {
    Parameters parameters;
    const auto set = [&](std::string_view part, std::string_view name, const Literal& literal) {
        const Key& key = *find_key(part, name);
        key.set(parameters, read(literal, key.allowed));
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
        read(literal, find_key(part, name)->allowed);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "it was taken";
}

TEST(Schema, SaysWhatIsAllowedAndWhatWasFound) {
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
    EXPECT_THAT(refusal("link", "packet", "0 B"), HasSubstr("from 1 B to 1 TiB, found '0 B'"));
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
    EXPECT_THAT(refusal("", "description", std::int64_t{3}), HasSubstr("a text in quotes"));
}

TEST(Schema, ALimitCanBeSwitchedOff) {
    const Key& key = *find_key("bus", "read_stream");
    EXPECT_EQ(std::get<Rate>(read("off", key.allowed)), Rate());
    EXPECT_EQ(write(Rate(), key.allowed), Literal("off"));
    EXPECT_THAT(to_string(key.allowed), HasSubstr("or 'off'"));
}

TEST(Schema, TextsAreQuotedForToml) {
    EXPECT_EQ(toml(Literal("a \"b\" \\ \n")), R"("a \"b\" \\ \u000a")");
    EXPECT_EQ(toml(Literal(true)), "true");
    EXPECT_EQ(toml(Literal(std::int64_t{8})), "8");
    EXPECT_EQ(toml(Literal(0.0989)), "0.0989");
    EXPECT_EQ(plain(Literal("0.9 us")), "0.9 us");
}

}  // namespace
}  // namespace railyard::model
