#include "interconnects/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "railyard/base/error.hpp"
#include "sim/engine.hpp"

namespace railyard::interconnects {
namespace {

TEST(Registry, NamesAreUnique) {
    std::set<std::string_view> names;
    for (const Entry& entry : registry())
        EXPECT_TRUE(names.insert(entry.name()).second) << entry.name();
    EXPECT_TRUE(names.contains("shm"));
    EXPECT_TRUE(names.contains("ideal"));
}

TEST(Registry, FindsByName) {
    for (const Entry& entry : registry())
        EXPECT_EQ(find(entry.name()), &entry);
    EXPECT_EQ(find(""), nullptr);
    EXPECT_EQ(find("SHM"), nullptr);
}

TEST(Registry, EachOpensAsItsClockSays) {
    for (const Entry& entry : registry()) {
        SCOPED_TRACE(entry.name());
        ASSERT_EQ(entry.open_virtual != nullptr, entry.is_virtual());
        ASSERT_EQ(entry.open_real != nullptr, !entry.is_virtual());
        sim::Engine engine;
        const auto fabric = entry.is_virtual() ? entry.open_virtual(engine, 2) : entry.open_real();
        ASSERT_NE(fabric, nullptr);
        EXPECT_EQ(fabric->traits().name, entry.name());
        EXPECT_EQ(fabric->traits().clock, entry.traits.clock);
        EXPECT_FALSE(entry.traits.description.empty());
    }
}

TEST(Registry, ModelsHaveADatasheetAndOthersHaveNone) {
    EXPECT_FALSE(find("shm")->datasheet);
    EXPECT_FALSE(find("ideal")->datasheet);
    ASSERT_TRUE(find("quadrics")->datasheet);
    const fabric::Datasheet sheet = find("quadrics")->datasheet();
    EXPECT_FALSE(sheet.parts.empty());
    EXPECT_FALSE(sheet.cited_records.empty());
}

/// Profiles in a folder that is gone afterwards.
class RegistryOfUsers : public ::testing::Test {
  protected:
    RegistryOfUsers() {
        folder_ = ::testing::TempDir() + "railyard-registry-XXXXXX";
        if (::mkdtemp(folder_.data()) == nullptr) throw system_error("mkdtemp");
    }
    ~RegistryOfUsers() override { std::filesystem::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) const {
        const std::string path = folder_ + "/" + name;
        std::ofstream(path) << text;
        return path;
    }

    static std::string refusal(const std::string& path) {
        try {
            find(path);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "it was found";
    }

    std::string folder_;
};

TEST_F(RegistryOfUsers, AProfileIsFoundByPathAndThenByName) {
    const std::string path = write("mine.toml", "extends = \"quadrics\"\nname = \"users-own\"\n");
    EXPECT_EQ(find("users-own"), nullptr);
    const Entry* entry = find(path);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->name(), "users-own");
    EXPECT_TRUE(entry->is_virtual());
    EXPECT_EQ(find(folder_ + "/./mine.toml"), entry);
    EXPECT_EQ(find("users-own"), entry);
    sim::Engine engine;
    EXPECT_EQ(entry->open_virtual(engine, 2)->traits().name, "users-own");
    for (const Entry& listed : registry())
        EXPECT_NE(listed.name(), "users-own") << "only what is shipped is listed";
}

TEST_F(RegistryOfUsers, AProfileMayBeRunByAnyEngine) {
    const Entry* entry = find(write("even.toml",
                                    "engine = \"ideal\"\n[ideal]\nlatency = \"3 us\"\n"
                                    "[mpi]\neager_limit = \"1 KiB\"\n"));
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->name(), "even");
    EXPECT_FALSE(entry->with_faults) << "it knows none";
    ASSERT_TRUE(entry->datasheet);
    EXPECT_EQ(entry->datasheet().parts.at(1).name, "ideal");
    sim::Engine engine;
    const auto fabric = entry->open_virtual(engine, 2);
    EXPECT_EQ(fabric->traits().name, "even");
    ASSERT_NE(fabric->traits().section("mpi"), nullptr);
    EXPECT_EQ(fabric->traits().section("mpi")->entries.at(0).value, "1 KiB");
}

TEST_F(RegistryOfUsers, AWrongProfileIsToldWhere) {
    const std::string path = write("wrong.toml", "extends = \"quadrics\"\n[host]\npost = 1\n");
    EXPECT_THAT(refusal(path), ::testing::StartsWith(path + ":3:1: host.post: expected a time"));
    EXPECT_THAT(refusal(folder_ + "/gone.toml"), ::testing::HasSubstr("there is no such file"));
    EXPECT_THAT(refusal(folder_), ::testing::HasSubstr("a plain file"));
    // Mended, it is found.
    write("wrong.toml", "extends = \"quadrics\"\nname = \"mended\"\n");
    EXPECT_EQ(find(path)->name(), "mended");
}

TEST_F(RegistryOfUsers, ANameIsOneFabrics) {
    EXPECT_THAT(refusal(write("shm.toml", "extends = \"quadrics\"\n")),
                ::testing::HasSubstr("the name 'shm' is taken by a fabric of Railyard's own"));
    find(write("first.toml", "extends = \"quadrics\"\nname = \"same\"\n"));
    EXPECT_THAT(refusal(write("second.toml", "extends = \"quadrics\"\nname = \"same\"\n")),
                ::testing::HasSubstr("the name 'same' is taken by another profile"));
}

}  // namespace
}  // namespace railyard::interconnects
