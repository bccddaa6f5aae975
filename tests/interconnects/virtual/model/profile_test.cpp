// What a profile says, and what it takes from the one it extends.

#include "interconnects/virtual/model/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "interconnects/virtual/model/profile_source.hpp"
#include "interconnects/virtual/model/traits.hpp"
#include "railyard/base/error.hpp"

namespace railyard::model {
namespace {

using fabric::Evidence;
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

/// Files that exist only here.
Profile parse(std::string_view text, std::map<std::string, std::string> files = {}) {
    return parse_profile(text, "net/mine.toml", [files](const std::string& path) {
        const auto found = files.find(path);
        return found != files.end() ? std::optional(found->second) : std::nullopt;
    });
}

TEST(Profile, TakesWhatIsSetAndLeavesTheRestAtItsDefault) {
    const Profile profile = parse(least);
    EXPECT_EQ(profile.parameters.name, "mine");
    EXPECT_EQ(profile.parameters.bus.read_rate, Rate::bytes_per_second(800'000'000U));
    EXPECT_EQ(profile.parameters.link.packet, Bytes(1024));
    EXPECT_EQ(profile.parameters.adapter.buffer, Parameters().adapter.buffer);
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
    EXPECT_THAT(fitted_records(profile), ElementsAre("paper.bandwidth.bi", "paper.bandwidth.uni"));
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
    EXPECT_EQ(profile.parameters.name, "other");
    EXPECT_EQ(profile.parameters.description, "d");
    EXPECT_EQ(profile.parameters.bus.read_rate, Rate::bytes_per_second(700'000'000U));
    EXPECT_EQ(profile.parameters.bus.write_rate, Rate::bytes_per_second(900'000'000U));
    EXPECT_THAT(profile.files, ElementsAre("net/mine.toml", "net/base.toml"));
    EXPECT_EQ(profile.settings.at("bus.read_rate").source.file, "net/mine.toml");
    EXPECT_EQ(profile.settings.at("bus.write_rate").source.file, "net/base.toml");
}

TEST(Profile, AnOverriddenParametersCitationDoesNotCount) {
    const std::string override = R"(
extends = "./base.toml"
[bus]
write_rate = "700 MB/s"  # assumed: slower
)";
    EXPECT_THAT(fitted_records(parse(override, {{"net/./base.toml", least}})),
                ElementsAre("paper.bandwidth.uni"));
}

TEST(Profile, ExtendsAShippedOne) {
    const Profile profile = parse("extends = \"infiniband-pcie\"\n");
    const Profile base = shipped_profile("infiniband-pcie");
    EXPECT_EQ(profile.parameters.name, "mine");
    EXPECT_EQ(profile.parameters.link.packet, base.parameters.link.packet);
    EXPECT_EQ(fitted_records(profile), fitted_records(base));
}

TEST(Profile, AFileMayHaveTheNameOfAShippedOneThatItExtends) {
    const auto none = [](const std::string&) { return std::nullopt; };
    EXPECT_NO_THROW(parse_profile("extends = \"quadrics\"\n", "profiles/quadrics.toml", none));
}

TEST(Profile, IsNamedAfterItsFileUnlessItSaysOtherwise) {
    const auto none = [](const std::string&) { return std::nullopt; };
    EXPECT_EQ(parse_profile(least, "a/my net,1.toml", none).parameters.name, "my-net-1");
    EXPECT_EQ(parse_profile(least, ".toml", none).parameters.name, "profile");
}

TEST(Profile, IsReadFromAFile) {
    std::string folder = ::testing::TempDir() + "railyard-profile-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/mine.toml";
    std::ofstream(path) << least;
    EXPECT_EQ(load_profile(path).parameters.name, "mine");
    std::filesystem::remove_all(folder);
    EXPECT_THROW(load_profile(path), UsageError);
    EXPECT_THROW(load_profile("/dev/zero"), UsageError);
}

TEST(Profile, PrintsAsAProfileThatStandsAlone) {
    for (const Shipped& shipped : shipped_texts()) {
        const Profile profile = shipped_profile(shipped.name);
        const std::string printed = to_toml(profile);
        const Profile again = parse(printed);
        EXPECT_EQ(to_toml(again), printed) << shipped.name;
        EXPECT_EQ(fitted_records(again), fitted_records(profile)) << shipped.name;
        EXPECT_THAT(again.files, ElementsAre("net/mine.toml"));
    }
}

TEST(Profile, MakesADatasheet) {
    const fabric::Datasheet sheet =
        datasheet(parse(std::string(least) + "[host]\npost = \"0.9 us\"\n"));
    EXPECT_THAT(sheet.files, ElementsAre("net/mine.toml"));
    ASSERT_EQ(sheet.parts.size(), parts().size()) << "the whole, and all but a machine";
    const fabric::Part& bus = sheet.parts[2];
    EXPECT_EQ(bus.name, "bus");
    const auto find = [&](std::string_view name) {
        return *std::ranges::find(bus.parameters, name, &fabric::Parameter::name);
    };
    EXPECT_EQ(find("read_rate").value, "800 MB/s");
    EXPECT_TRUE(find("read_rate").set);
    EXPECT_EQ(find("read_stream").value, "off");
    EXPECT_FALSE(find("read_stream").set);
    EXPECT_EQ(sheet.parts[1].parameters[0].value, "0.9 us") << "as it is written, not 900 ns";
    EXPECT_EQ(sheet.fitted_records.size(), 2U);
}

TEST(Profile, ShowsAMachineOnlyWhereThereIsOne) {
    const Profile plain = parse(least);
    const Profile with = parse(std::string(least) + "[elan]\npresent = true  # stated: paper\n");
    EXPECT_FALSE(plain.parameters.elan.present);
    EXPECT_TRUE(with.parameters.elan.present);
    EXPECT_THAT(to_toml(plain), ::testing::Not(HasSubstr("[elan]")));
    EXPECT_THAT(to_toml(with), HasSubstr("\nslice = 32\n"));
    EXPECT_TRUE(parse(to_toml(with)).parameters.elan.present);
    const auto has_it = [](const Profile& profile) {
        const auto shown = datasheet(profile).parts;
        return std::ranges::find(shown, elan_part, &fabric::Part::name) != shown.end();
    };
    EXPECT_FALSE(has_it(plain));
    EXPECT_TRUE(has_it(with));
}

TEST(Profile, TraitsFollowTheParameters) {
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

TEST(Profile, HandsOnWhatItSetsForAnMpiLibrary) {
    const std::string base =
        std::string(least) + "[mpi]\neager_limit = \"5000 B\"\ntagged = true\n";
    const Profile profile =
        parse("extends = \"base.toml\"\n[mpi]\neager_limit = \"4 KiB\"\nsend_rest = \"1 us\"\n",
              {{"net/base.toml", base}});
    const auto settings = traits(profile.parameters).mpi_settings;
    EXPECT_THAT(settings, ElementsAre(Pair("eager-limit", "4 KiB"), Pair("tagged", "true"),
                                      Pair("send-rest", "1 us")));
    EXPECT_EQ(traits(parse(to_toml(profile)).parameters).mpi_settings.size(), 3U)
        << "what is not set is not written";
    EXPECT_THAT(traits(parse(least).parameters).mpi_settings, IsEmpty());
}

TEST(ProfileSource, CommentsAreFoundOutsideQuotesOnly) {
    EXPECT_EQ(comment_of("a = 1  # why "), "why");
    EXPECT_EQ(comment_of(R"(a = "x # y" # z)"), "z");
    EXPECT_EQ(comment_of(R"(a = "x \" # y" # z)"), "z");
    EXPECT_EQ(comment_of("a = 'x \\' # z"), "z");
    EXPECT_EQ(comment_of("a = 1"), "");
}

TEST(ProfileSource, RecordsAreToldFromWords) {
    const auto records = [](std::string_view comment) { return parse_source(comment).records; };
    EXPECT_THAT(records("fitted: a.b, c.d_e.7.f one of many"), ElementsAre("a.b", "c.d_e.7.f"));
    EXPECT_THAT(records("fitted: 4.4 us of the paper"), IsEmpty());
    EXPECT_THAT(records("stated: paper says 4.4"), IsEmpty());
    EXPECT_THAT(records("assumed: etc. and so on"), IsEmpty());
    EXPECT_THAT(records("a.b"), IsEmpty());
    EXPECT_EQ(parse_source("fitted: a.b, with c").text, "with c");
    EXPECT_EQ(parse_source("fitted").evidence, Evidence::none);
    EXPECT_EQ(parse_source("guessed: x").evidence, Evidence::none);
    EXPECT_EQ(parse_source("derived:").evidence, Evidence::derived);
}

TEST(ProfileSource, SeparatorsBeforeARecordDoNotHideIt) {
    EXPECT_THAT(parse_source("fitted: ,a.b c.d text").records, ElementsAre("a.b"));
    EXPECT_EQ(parse_source("fitted: ,a.b c.d text").text, "c.d text");
}

}  // namespace
}  // namespace railyard::model
