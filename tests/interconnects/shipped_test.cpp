// The profiles that Railyard ships: all there, and every value with its source.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "interconnects/registry.hpp"
#include "interconnects/virtual/common/engine.hpp"
#include "profiles/profile.hpp"
#include "profiles/schema.hpp"

namespace railyard::profiles {
namespace {

using fabric::Evidence;

std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const Shipped& shipped : shipped_texts())
        names.emplace_back(shipped.name);
    return names;
}

/// The ids of all results of the papers.
std::set<std::string> published() {
    std::ifstream in(RAILYARD_SOURCE_DIR "/data/papers.json");
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    static const std::regex id(R"re("id"\s*:\s*"([^"]+)")re");
    std::set<std::string> ids;
    for (std::sregex_iterator m(text.begin(), text.end(), id), end; m != end; ++m)
        ids.insert((*m)[1]);
    return ids;
}

/// Of the lines of this file and of its hosts': what it inherits is another file's business.
std::vector<std::pair<std::string, fabric::Source>> own_settings(const Profile& profile) {
    std::vector<std::pair<std::string, fabric::Source>> own;
    const auto add = [&](const std::string& path, const fabric::Source& source) {
        if ((source.file == profile.files.front() || source.file == profile.hosts) &&
            path != "name" && path != "description")
            own.emplace_back(path, source);
    };
    for (const auto& [path, setting] : profile.settings)
        add(path, setting.source);
    for (const fabric::Section& section : profile.sections)
        for (const fabric::Section::Entry& entry : section.entries)
            add(section.name + "." + entry.key, entry.source);
    return own;
}

TEST(ShippedProfiles, AreTheTwelveOfThePapers) {
    EXPECT_THAT(names(),
                ::testing::UnorderedElementsAre(
                    "infiniband-pcix-liu04", "infiniband-pcix", "infiniband-pcie",
                    "infiniband-memfree", "myrinet2000-gm", "mx10g-myrinet", "mx10g-ethernet",
                    "quadrics-liu04", "quadrics", "clan-via", "berkeley-via", "neteffect-iwarp"));
}

TEST(ShippedProfiles, AreCalledAsTheirFilesAndDescribed) {
    for (const std::string& name : names()) {
        const Profile profile = shipped_profile(interconnects::language(), name);
        EXPECT_EQ(profile.name, name);
        EXPECT_EQ(profile.settings.at("description").source.file, profile.files.front()) << name;
    }
}

TEST(ShippedProfiles, EveryValueHasItsSource) {
    for (const std::string& name : names())
        for (const auto& [path, source] :
             own_settings(shipped_profile(interconnects::language(), name))) {
            SCOPED_TRACE(source.file + ":" + std::to_string(source.line));
            EXPECT_NE(source.evidence, Evidence::none) << path;
            EXPECT_FALSE(source.records.empty() && source.text.empty()) << path;
            if (source.evidence == Evidence::fitted) {
                EXPECT_FALSE(source.records.empty()) << path << " is fitted to what?";
            }
        }
}

TEST(ShippedProfiles, CiteOnlyWhatWasPublished) {
    const std::set<std::string> ids = published();
    ASSERT_FALSE(ids.empty());
    for (const std::string& name : names())
        for (const auto& [path, source] :
             own_settings(shipped_profile(interconnects::language(), name)))
            for (const std::string& record : source.records)
                EXPECT_TRUE(ids.contains(record))
                    << source.file << ":" << source.line << ": " << record;
}

// One host, one set of numbers.
TEST(ShippedProfiles, SayOfTheirHostsWhatAllProfilesOfThemSay) {
    std::set<std::string> used;
    for (const std::string& name : names()) {
        const Profile profile = shipped_profile(interconnects::language(), name);
        ASSERT_NE(profile.hosts, "") << name;
        used.insert(profile.hosts);
        for (const Shipped& shipped : shipped_hosts()) {
            if (profile.hosts != "profiles/hosts/" + std::string(shipped.name) + ".toml") continue;
            const Profile bare = parse_profile(
                interconnects::language(),
                "extends = \"" + name + "\"\nhosts = \"" + std::string(shipped.name) + "\"\n",
                "bare.toml", [](const std::string&) { return std::nullopt; });
            for (const auto& [path, setting] : bare.settings)
                if (setting.source.file == bare.hosts) {
                    EXPECT_EQ(profile.settings.at(path).source.file, profile.hosts)
                        << name << " overrides " << path;
                }
        }
    }
    EXPECT_EQ(used.size(), shipped_hosts().size()) << "hosts that no profile has";
}

}  // namespace
}  // namespace railyard::profiles
