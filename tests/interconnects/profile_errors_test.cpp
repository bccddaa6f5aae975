// What a wrong profile is told: where, which key, and what is allowed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "interconnects/registry.hpp"
#include "interconnects/virtual/common/engine.hpp"
#include "profiles/profile.hpp"
#include "profiles/schema.hpp"
#include "railyard/base/error.hpp"

namespace railyard::profiles {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Files = std::map<std::string, std::string>;

/// What is said of the file mine.toml with this text.
std::string said(const std::string& text, const Files& files = {}) {
    try {
        parse_profile(interconnects::language(), text, "mine.toml", [&](const std::string& path) {
            const auto found = files.find(path);
            return found != files.end() ? std::optional(found->second) : std::nullopt;
        });
    } catch (const UsageError& error) {
        return error.what();
    }
    return "it was taken";
}

/// The same of a file that is right but for these lines, the first of which is its second.
std::string said_of(const std::string& lines) {
    return said("extends = \"quadrics\"\n" + lines);
}

TEST(ProfileErrors, UnknownKeysAndParts) {
    EXPECT_EQ(said_of("[host]\npots = \"1 us\"\n"),
              "mine.toml:3:1: host.pots: there is no such key in [host]; did you mean 'post'?");
    EXPECT_THAT(said_of("[link]\nzzzzzzz = 1\n"),
                AllOf(StartsWith("mine.toml:3:1: link.zzzzzzz: "),
                      HasSubstr("there are rate, packet, header, block, gap, acknowledgment")));
    EXPECT_EQ(said_of("[hots]\npost = \"1 us\"\n"),
              "mine.toml:2:2: hots: there is no such part; did you mean 'host'?");
    EXPECT_EQ(said_of("extend = 1\n"),
              "mine.toml:2:1: extend: there is no such key outside the parts; did you mean "
              "'extends'?");
}

TEST(ProfileErrors, Hosts) {
    EXPECT_THAT(said_of("hosts = \"poweredge\"\n"),
                AllOf(StartsWith("mine.toml:2:1: hosts: there is no file of hosts 'poweredge'"),
                      HasSubstr("poweredge-2850")));
    EXPECT_EQ(said_of("hosts = \"my/own.toml\"\n"),
              "mine.toml:2:1: hosts: there is no file 'my/own.toml'");
    EXPECT_EQ(
        said_of("hosts = 1\n"),
        "mine.toml:2:1: hosts: expected the name of a file of hosts in quotes, or the path of "
        "one");
    EXPECT_THAT(said("extends = \"quadrics\"\nhosts = \"own.toml\"\n",
                     {{"own.toml", "[host]\ncopi = 1\n"}}),
                StartsWith("own.toml:2:1: host.copi: there is no such key"));
    EXPECT_THAT(said("extends = \"quadrics\"\nhosts = \"own.toml\"\n",
                     {{"own.toml", "extends = \"clan-via\"\n"}}),
                HasSubstr("own.toml:1:1: hosts: hosts have parts of hardware, and no more"));
    EXPECT_THAT(said("engine = \"ideal\"\nhosts = \"own.toml\"\n",
                     {{"own.toml", "[host]\ncopy = \"1 GB/s\"\n"}}),
                StartsWith("own.toml:1:2: host: this profile's engine is \"ideal\""));
}

TEST(ProfileErrors, UnknownEngines) {
    EXPECT_EQ(said_of("engine = \"elam\"\n"),
              "mine.toml:2:1: engine: expected 'model' or 'elan' or 'ideal', found 'elam': did you "
              "mean 'elan'?");
    EXPECT_THAT(said_of("engine = 1\n"), StartsWith("mine.toml:2:1: engine: expected 'model'"));
}

TEST(ProfileErrors, SectionsOfAnotherEngine) {
    EXPECT_EQ(said("\n[elan]\nslice = 7\n"),
              "mine.toml:2:2: elan: this profile's engine is \"model\", which has no such part; "
              "write engine = \"elan\" before all parts, or leave this one out");
    EXPECT_THAT(said("extends = \"infiniband-pcie\"\n[elan]\nslice = 7\n"),
                StartsWith("mine.toml:2:2: elan: this profile's engine is \"model\""));
    EXPECT_EQ(said("engine = \"ideal\"\nbulk = \"read\"\n"),
              "mine.toml:2:1: bulk: this profile's engine is \"ideal\", which has no such key; it "
              "is one of engine = \"model\" or engine = \"elan\"");
    EXPECT_THAT(said("engine = \"ideal\"\n[host]\npost = 1\n[elan]\nslices = 1\n"),
                ::testing::MatchesRegex("mine.toml:2:2: host: .*\n"
                                        "mine.toml:3:1: host.post: .*\n"
                                        "mine.toml:4:2: elan: .*\n"
                                        "mine.toml:5:1: elan.slices: .*"))
        << "all at once";
}

TEST(ProfileErrors, SectionsOfNobody) {
    EXPECT_EQ(said_of("[mpl]\nname = \"x\"\n"),
              "mine.toml:2:2: mpl: there is no such part; did you mean 'mpi'?");
    EXPECT_EQ(said_of("[shmem]\n"),
              "mine.toml:2:2: shmem: there is no such part; there are host, cache, tlb, bus, "
              "adapter, memory, "
              "translation, contexts, link, network, reliability, completion, connection, tagged, "
              "elan, ideal, mpi");
    EXPECT_THAT(said_of("[mpi]\nname = [1]\n"),
                StartsWith("mine.toml:3:1: mpi.name: expected a text, a number, or true or false"));
}

TEST(ProfileErrors, UnitsThatAreMissingOrWrong) {
    EXPECT_EQ(said_of("[host]\n  post = 0.9\n"),
              "mine.toml:3:3: host.post: expected a time such as '0.9 us', up to 1 s, found 0.9: "
              "it needs a unit, and quotes around both");
    EXPECT_THAT(said_of("[host]\npost = \"0.9\"\n"), HasSubstr("the unit is missing"));
    EXPECT_THAT(said_of("[link]\nrate = \"400 us\"\n"),
                AllOf(StartsWith("mine.toml:3:1: link.rate: expected a rate such as"),
                      HasSubstr("units are B/s")));
}

TEST(ProfileErrors, ValuesOutOfRange) {
    EXPECT_THAT(said_of("[link]\nrate = \"-400 MB/s\"\n"), HasSubstr("it cannot be negative"));
    EXPECT_THAT(said_of("[host]\npost = \"-1 us\"\n"), HasSubstr("it cannot be negative"));
    for (const char* line :
         {"[link]\nrate = \"0 MB/s\"", "[link]\npacket = \"0 B\"", "[bus]\nread_rate = \"0 B/s\"",
          "[bus]\nwrite_rate = \"off\"", "[translation]\npage = \"0 B\"", "[adapter]\nports = 0"})
        EXPECT_THAT(said_of(line), StartsWith("mine.toml:3:1: ")) << line;
    EXPECT_THAT(said_of("[adapter]\nports = 99999999999\n"), HasSubstr("from 1 to 8"));
    // Of such, a message would be millions, and an experiment would not end.
    EXPECT_THAT(said_of("[link]\npacket = \"15 B\"\n"),
                AllOf(StartsWith("mine.toml:3:1: link.packet: "), HasSubstr("from 16 B")));
    EXPECT_THAT(said_of("[translation]\npage = \"255 B\"\n"),
                AllOf(StartsWith("mine.toml:3:1: translation.page: "), HasSubstr("from 256 B")));
    EXPECT_THAT(said_of("[bus]\nopposite = 2\n"), HasSubstr("a number from 0 to 1, found 2"));
}

TEST(ProfileErrors, WrongTypes) {
    EXPECT_THAT(said_of("[tagged]\npresent = 1\n"), HasSubstr("expected true or false, found 1"));
    EXPECT_THAT(said_of("[bus]\nduplex = \"both\"\n"), HasSubstr("'half' or 'full'"));
    EXPECT_THAT(said_of("[host]\npost = [1]\n"), HasSubstr("found a list"));
    EXPECT_THAT(said_of("[host]\npost = {a = 1}\n"), HasSubstr("found a table"));
    EXPECT_THAT(said_of("[host]\npost = 2004-01-01\n"), HasSubstr("found a date or time"));
    EXPECT_EQ(said_of("host = 1\n"),
              "mine.toml:2:1: host: it is a part: write [host] on a line, and its keys below");
    EXPECT_THAT(said_of("description = 3\n"), HasSubstr("a text in quotes"));
    EXPECT_THAT(said("extends = 3\n"), StartsWith("mine.toml:1:1: extends: expected the name"));
    EXPECT_THAT(said_of("name = \"a,b\"\n"), StartsWith("mine.toml:2:1: name: expected letters"));
    EXPECT_THAT(said_of("name = \"a.toml\"\n"), HasSubstr("no '.toml' at the end"));
}

TEST(ProfileErrors, AllOfAFileAreToldInTheOrderOfItsLines) {
    EXPECT_THAT(said_of("[link]\nrate = 1\n[bus]\nopposite = 3\n[host]\nx = 1\n"),
                ::testing::MatchesRegex("mine.toml:3:1: link.rate: .*\n"
                                        "mine.toml:5:1: bus.opposite: .*\n"
                                        "mine.toml:7:1: host.x: .*"));
}

TEST(ProfileErrors, MissingKeys) {
    const std::string text = said("[bus]\nread_rate = \"1 GB/s\"\n");
    EXPECT_THAT(text, HasSubstr("mine.toml:1:2: bus.write_rate: it is missing: expected a rate"));
    EXPECT_THAT(text, HasSubstr("mine.toml:1:1: link.rate: it is missing"));
    EXPECT_THAT(text, HasSubstr("mine.toml:1:1: link.packet: it is missing"));
    EXPECT_THAT(said(""), HasSubstr("bus.read_rate: it is missing"));
}

TEST(ProfileErrors, BrokenToml) {
    EXPECT_THAT(said("[host\npost = 1\n"), StartsWith("mine.toml:1:6: "));
    EXPECT_THAT(said("a = 1\na = 2\n"), StartsWith("mine.toml:2:"));
}

TEST(ProfileErrors, WhatIsExtendedMustExist) {
    EXPECT_EQ(said("extends = \"quadrcs\"\n"),
              "mine.toml:1:1: extends: there is no profile 'quadrcs'; did you mean 'quadrics'? (a "
              "file is named by a path with '/' or '.toml' in it)");
    EXPECT_EQ(said("\nextends = \"./gone.toml\"\n"),
              "mine.toml:2:1: extends: there is no file './gone.toml'");
    EXPECT_THAT(said("extends = \"\"\n"), HasSubstr("expected the name of a profile"));
}

TEST(ProfileErrors, AMistakeInWhatIsExtendedIsToldOfThatFile) {
    EXPECT_THAT(said("extends = \"b.toml\"\n", {{"b.toml", "[host]\npost = 1\n"}}),
                StartsWith("b.toml:2:1: host.post: "));
}

TEST(ProfileErrors, CirclesAreNamedWhole) {
    EXPECT_EQ(said("extends = \"mine.toml\"\n", {{"mine.toml", ""}}),
              "mine.toml:1:1: extends: it goes in a circle: mine.toml -> mine.toml");
    EXPECT_EQ(
        said("extends = \"b.toml\"\n", {{"b.toml", "extends = \"c.toml\"\n"},
                                        {"c.toml", "\nextends = \"./b.toml\"\n"},
                                        {"./b.toml", "extends = \"c.toml\"\n"}}),
        "c.toml:2:1: extends: it goes in a circle: mine.toml -> b.toml -> c.toml -> ./b.toml");
}

TEST(ProfileErrors, AnUnknownShippedProfileIsNone) {
    EXPECT_THROW(shipped_profile(interconnects::language(), "token-ring"), UsageError);
}

}  // namespace
}  // namespace railyard::profiles
