#include "interconnects/registry.hpp"

#include <gtest/gtest.h>

#include <set>

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
        const auto fabric = entry.is_virtual() ? entry.open_virtual(engine) : entry.open_real();
        ASSERT_NE(fabric, nullptr);
        EXPECT_EQ(fabric->traits().name, entry.name());
        EXPECT_EQ(fabric->traits().clock, entry.traits.clock);
        EXPECT_FALSE(entry.traits.description.empty());
    }
}

}  // namespace
}  // namespace railyard::interconnects
