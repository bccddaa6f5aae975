// What a profile says, and what it takes from the one it extends.

#include "profiles/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "interconnects/registry.hpp"
#include "interconnects/virtual/common/engine.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"
#include "profiles/schema.hpp"
#include "railyard/base/error.hpp"

namespace railyard::profiles {
namespace {

using fabric::Evidence;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* least = R"(
[bus]
read_rate  = "800 MB/s"  # fitted: paper.bandwidth.uni
write_rate = "900 MB/s"  # fitted: paper.bandwidth.uni, paper.bandwidth.bi; with read_rate
[link]
rate   = "1 GB/s"        # stated: paper says so
packet = "1 KiB"         # assumed: a round number
)";

const Language& language() {
    return interconnects::language();
}

hardware::Parameters parameters_of(const Profile& profile) {
    return hardware::read(profile);
}

/// Files that exist only here.
Profile parse(std::string_view text, std::map<std::string, std::string> files = {}) {
    return parse_profile(language(), text, "net/mine.toml", [files](const std::string& path) {
        const auto found = files.find(path);
        return found != files.end() ? std::optional(found->second) : std::nullopt;
    });
}

TEST(Profile, TakesWhatIsSetAndLeavesTheRestAtItsDefault) {
    const Profile profile = parse(least);
    EXPECT_EQ(profile.name, "mine");
    EXPECT_EQ(parameters_of(profile).bus.read_rate, Rate::bytes_per_second(800'000'000U));
    EXPECT_EQ(parameters_of(profile).link.packet, Bytes(1024));
    EXPECT_EQ(parameters_of(profile).adapter.buffer, hardware::Parameters().adapter.buffer);
    EXPECT_EQ(profile.settings.size(), 4U);
    EXPECT_THAT(profile.files, ElementsAre("net/mine.toml"));
}

TEST(Profile, SaysWhereEachValueComesFrom) {
    const Profile profile = parse(least);
    const Setting& rate = profile.settings.at("bus.write_rate");
    EXPECT_EQ(rate.literal, Literal("900 MB/s"));
    EXPECT_EQ(rate.source.evidence, Evidence::fitted);
    EXPECT_THAT(rate.source.records, ElementsAre("paper.bandwidth.uni", "paper.bandwidth.bi"));
    EXPECT_EQ(rate.source.text, "with read_rate");
    EXPECT_EQ(rate.source.file, "net/mine.toml");
    EXPECT_EQ(rate.source.line, 4U);
    EXPECT_EQ(profile.settings.at("link.rate").source.evidence, Evidence::stated);
    EXPECT_EQ(profile.settings.at("link.packet").source.evidence, Evidence::assumed);
    EXPECT_THAT(cited_records(profile), ElementsAre("paper.bandwidth.bi", "paper.bandwidth.uni"));
}

TEST(Profile, ExtendsAFileBesideIt) {
    const Profile profile =
        parse(R"(
extends = "base.toml"
name = "other"
[bus]
read_rate = "700 MB/s"  # assumed: slower
)",
              {{"net/base.toml", std::string("description = \"d\"\n") + least}});
    EXPECT_EQ(profile.name, "other");
    EXPECT_EQ(profile.description, "d");
    EXPECT_EQ(parameters_of(profile).bus.read_rate, Rate::bytes_per_second(700'000'000U));
    EXPECT_EQ(parameters_of(profile).bus.write_rate, Rate::bytes_per_second(900'000'000U));
    EXPECT_THAT(profile.files, ElementsAre("net/mine.toml", "net/base.toml"));
    EXPECT_EQ(profile.settings.at("bus.read_rate").source.file, "net/mine.toml");
    EXPECT_EQ(profile.settings.at("bus.write_rate").source.file, "net/base.toml");
}

constexpr const char* some_hosts = R"([host]
copy = "2 GB/s"  # assumed: a byte a cycle
[cache]
size = "1 MiB"   # stated: paper.cache
)";

TEST(Profile, SharesItsHostsWithOthers) {
    const std::map<std::string, std::string> files{
        {"net/hosts/fast.toml", some_hosts},
        {"net/base.toml", std::string("hosts = \"hosts/fast.toml\"\n") + least},
        {"net/slow.toml", "[host]\ncopy = \"1 GB/s\"  # assumed: slower\n"}};
    const Profile base = parse(files.at("net/base.toml"), files);
    EXPECT_EQ(base.hosts, "net/hosts/fast.toml");
    EXPECT_EQ(parameters_of(base).host.copy, Rate::bytes_per_second(2'000'000'000U));
    EXPECT_EQ(base.settings.at("host.copy").source.file, "net/hosts/fast.toml");
    EXPECT_THAT(cited_records(base), ::testing::Contains("paper.cache"));
    EXPECT_THAT(base.files, ElementsAre("net/mine.toml")) << "they are no profile";

    const Profile extending = parse("extends = \"base.toml\"\n", files);
    EXPECT_EQ(parameters_of(extending).cache.size, Bytes(1 << 20));
    const Profile elsewhere = parse("extends = \"base.toml\"\nhosts = \"slow.toml\"\n", files);
    EXPECT_EQ(parameters_of(elsewhere).host.copy, Rate::bytes_per_second(1'000'000'000U));
    EXPECT_EQ(parameters_of(elsewhere).cache.size, Bytes()) << "nothing is left of other hosts";
    const Profile own =
        parse("extends = \"base.toml\"\n[host]\ncopy = \"3 GB/s\"  # assumed: mine\n", files);
    EXPECT_EQ(parameters_of(own).host.copy, Rate::bytes_per_second(3'000'000'000U));
    const Profile shipped = parse(std::string("hosts = \"poweredge-2850\"\n") + least, files);
    EXPECT_EQ(shipped.hosts, "profiles/hosts/poweredge-2850.toml");
    EXPECT_EQ(parameters_of(shipped).cache.size, Bytes(1 << 20));
}

// Whatever the word: a parameter that a result was looked up for cannot predict it.
TEST(Profile, NamesTheRecordsOfAnyEvidence) {
    const std::string assumed = R"(
extends = "base.toml"
[bus]
write_rate = "700 MB/s"  # assumed: paper.order for its sake
read_rate  = "700 MB/s"  # stated: paper.rate
)";
    EXPECT_THAT(cited_records(parse(assumed, {{"net/base.toml", least}})),
                ElementsAre("paper.order", "paper.rate"));
}

TEST(Profile, AnOverriddenParametersCitationDoesNotCount) {
    const std::string override = R"(
extends = "./base.toml"
[bus]
write_rate = "700 MB/s"  # assumed: slower
)";
    EXPECT_THAT(cited_records(parse(override, {{"net/./base.toml", least}})),
                ElementsAre("paper.bandwidth.uni"));
}

TEST(Profile, ExtendsAShippedOne) {
    const Profile profile = parse("extends = \"infiniband-pcie\"\n");
    const Profile base = shipped_profile(language(), "infiniband-pcie");
    EXPECT_EQ(profile.name, "mine");
    EXPECT_EQ(parameters_of(profile).link.packet, parameters_of(base).link.packet);
    EXPECT_EQ(cited_records(profile), cited_records(base));
}

TEST(Profile, AFileMayHaveTheNameOfAShippedOneThatItExtends) {
    const auto none = [](const std::string&) { return std::nullopt; };
    EXPECT_NO_THROW(
        parse_profile(language(), "extends = \"quadrics\"\n", "profiles/quadrics.toml", none));
}

TEST(Profile, IsNamedAfterItsFileUnlessItSaysOtherwise) {
    const auto none = [](const std::string&) { return std::nullopt; };
    EXPECT_EQ(parse_profile(language(), least, "a/my net,1.toml", none).name, "my-net-1");
    EXPECT_EQ(parse_profile(language(), least, ".toml", none).name, "profile");
}

TEST(Profile, IsReadFromAFile) {
    std::string folder = ::testing::TempDir() + "railyard-profile-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/mine.toml";
    std::ofstream(path) << least;
    EXPECT_EQ(load_profile(language(), path).name, "mine");
    std::filesystem::remove_all(folder);
    EXPECT_THROW(load_profile(language(), path), UsageError);
    EXPECT_THROW(load_profile(language(), "/dev/zero"), UsageError);
}

TEST(Profile, PrintsAsAProfileThatStandsAlone) {
    for (const Shipped& shipped : shipped_texts()) {
        const Profile profile = shipped_profile(language(), shipped.name);
        const std::string printed = to_toml(profile);
        const Profile again = parse(printed);
        EXPECT_EQ(to_toml(again), printed) << shipped.name;
        EXPECT_EQ(cited_records(again), cited_records(profile)) << shipped.name;
        EXPECT_THAT(again.files, ElementsAre("net/mine.toml"));
    }
}

TEST(Profile, MakesADatasheet) {
    const fabric::Datasheet sheet =
        datasheet(parse(std::string(least) + "[host]\npost = \"0.9 us\"\n"));
    EXPECT_THAT(sheet.files, ElementsAre("net/mine.toml"));
    ASSERT_EQ(sheet.parts.size(), 1 + hardware::table().sections.size())
        << "the whole, and what its engine reads";
    const fabric::Part& bus = sheet.parts[4];
    EXPECT_EQ(bus.name, "bus");
    const auto find = [&](std::string_view name) {
        return *std::ranges::find(bus.parameters, name, &fabric::Parameter::name);
    };
    EXPECT_EQ(find("read_rate").value, "800 MB/s");
    EXPECT_TRUE(find("read_rate").set);
    EXPECT_EQ(find("read_stream").value, "off");
    EXPECT_FALSE(find("read_stream").set);
    EXPECT_EQ(sheet.parts[1].parameters[0].value, "0.9 us") << "as it is written, not 900 ns";
    EXPECT_EQ(sheet.cited_records.size(), 2U);
}

TEST(Profile, IsShownWithTheSectionsOfItsEngine) {
    const Profile plain = parse(least);
    const Profile with =
        parse("engine = \"elan\"\n" + std::string(least) + "[elan]\nslice = 7  # stated: paper\n");
    EXPECT_EQ(plain.engine->name, "model");
    EXPECT_EQ(with.engine->name, "elan");
    EXPECT_THAT(to_toml(plain), ::testing::Not(HasSubstr("[elan]")));
    EXPECT_THAT(to_toml(plain), HasSubstr("\nengine = \"model\"\n"));
    EXPECT_THAT(to_toml(with), HasSubstr("\nengine = \"elan\"\n"));
    EXPECT_THAT(to_toml(with), HasSubstr("\nbuffers = 3\n")) << "its default";
    EXPECT_EQ(parse(to_toml(with)).engine->name, "elan");
    const auto has_it = [](const Profile& profile) {
        const auto shown = datasheet(profile).parts;
        return std::ranges::find(shown, "elan", &fabric::Part::name) != shown.end();
    };
    EXPECT_FALSE(has_it(plain));
    EXPECT_TRUE(has_it(with));
}

TEST(Profile, AnotherEngineLeavesAsideWhatItDoesNotRead) {
    const Profile profile = parse("extends = \"quadrics\"\nengine = \"model\"\n");
    EXPECT_EQ(profile.engine->name, "model");
    EXPECT_TRUE(profile.settings.contains("link.rate"));
    EXPECT_FALSE(profile.settings.contains("elan.slice"));
    EXPECT_THAT(to_toml(profile), ::testing::Not(HasSubstr("\n[elan]\n")));
    EXPECT_EQ(parse("extends = \"quadrics\"\n[elan]\nslice = 7\n").engine->name, "elan")
        << "as what it extends";
}

TEST(Profile, IdealNeedsNothingAndHasItsOwnNumbers) {
    const Profile profile =
        parse("engine = \"ideal\"\n[ideal]\nlatency = \"5 us\"  # assumed: slow\n");
    EXPECT_EQ(profile.engine->name, "ideal");
    EXPECT_THAT(to_toml(profile), AllOf(HasSubstr("[ideal]\nlatency = \"5 us\" "),
                                        HasSubstr("bandwidth = \"1 GB/s\"")));
    EXPECT_EQ(interconnects::described(profile).traits.name, "mine");
}

TEST(Profile, OtherDevicesLeaveSomethingOfABusThatTheyShare) {
    const auto taken = [](const std::string& bus) {
        return interconnects::described(parse("extends = \"infiniband-pcix\"\n[bus]\n" + bus));
    };
    EXPECT_EQ(taken("other = \"945 MB/s\"\n").traits.name, "mine");
    EXPECT_EQ(taken("other = \"2 GB/s\"\nduplex = \"full\"\n").traits.name, "mine");
    try {
        taken("other = \"946 MB/s\"\n");
        FAIL() << "it was taken";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "profile mine: bus.other: 946 MB/s leave nothing of a bus of 946 MB/s");
    }
}

TEST(Profile, SwitchesAndAdaptersHoldAtLeastAPacket) {
    const auto refusal = [](const std::string& lines) -> std::string {
        try {
            interconnects::described(parse("extends = \"infiniband-pcix\"\n" + lines));
        } catch (const UsageError& error) {
            return error.what();
        }
        return "it was taken";
    };
    EXPECT_EQ(refusal("[network]\nbuffer = \"1 KiB\"\n"),
              "profile mine: network.buffer: 1 KiB do not hold a packet, which has 1058 B");
    EXPECT_EQ(refusal("[adapter]\nreceive_buffer = \"1 KiB\"\n"),
              "profile mine: adapter.receive_buffer: 1 KiB do not hold a packet, which has 1058 B");
    EXPECT_EQ(refusal("[adapter]\nreceive_buffer = \"1058 B\"\n"), "it was taken");
}

TEST(Profile, AMessageWithoutAReceiveIsSentAgainOrBreaksTheConnection) {
    const std::string breaks = "[reliability]\nrnr_breaks = true\n";
    EXPECT_FALSE(interconnects::described(parse("extends = \"clan-via\"\n" + breaks))
                     .traits.waits_for_receives);
    EXPECT_THROW(interconnects::described(parse("extends = \"infiniband-pcix\"\n" + breaks)),
                 UsageError);
}

TEST(Profile, HandsOnTheSectionsOfSoftwareAbove) {
    const std::string base =
        std::string(least) + "[mpi]\neager_limit = \"5000 B\"\ntagged = true\n";
    const Profile profile =
        parse("extends = \"base.toml\"\n[mpi]\neager_limit = \"4 KiB\"\nsend_rest = \"1 us\"\n",
              {{"net/base.toml", base}});
    const fabric::Traits traits = interconnects::described(profile).traits;
    ASSERT_NE(traits.section("mpi"), nullptr);
    std::vector<std::pair<std::string, std::string>> found;
    for (const fabric::Section::Entry& entry : traits.section("mpi")->entries)
        found.emplace_back(entry.key, entry.value);
    EXPECT_THAT(found, ElementsAre(Pair("eager_limit", "4 KiB"), Pair("tagged", "true"),
                                   Pair("send_rest", "1 us")));
    const fabric::Section::Entry& tagged = traits.section("mpi")->entries[1];
    EXPECT_FALSE(tagged.quoted);
    EXPECT_EQ(tagged.source.file, "net/base.toml");
    EXPECT_EQ(tagged.source.line, 10U);
    EXPECT_TRUE(traits.section("mpi")->entries[0].quoted);
    EXPECT_EQ(traits.section("mpi")->entries[0].source.file, "net/mine.toml");
    EXPECT_EQ(traits.section("elan"), nullptr) << "that is an engine's";
    const Profile again = parse(to_toml(profile));
    ASSERT_EQ(again.sections.size(), 1U);
    EXPECT_EQ(again.sections[0].entries.size(), 3U) << "what is not set is not written";
    EXPECT_THAT(parse(least).sections, IsEmpty());
}

}  // namespace
}  // namespace railyard::profiles
