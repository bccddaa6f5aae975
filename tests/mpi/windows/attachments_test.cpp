// What a rank has attached is found by others as long as it is there.

#include "mpi/windows/attachments.hpp"

#include <gtest/gtest.h>

namespace railyard::mpi {
namespace {

Attachments::Attachment memory(std::uint64_t begin, std::uint64_t size) {
    Attachments::Attachment what{begin, size, {}};
    what.region.bytes[0] = static_cast<std::byte>(begin % 251);
    return what;
}

TEST(Attachments, AreFoundByWhatTheyHold) {
    Attachments attachments;
    const auto first = attachments.add(memory(1000, 100));
    ASSERT_TRUE(first);
    ASSERT_TRUE(attachments.add(memory(1100, 50)));
    const auto found = attachments.find(1090, 10);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->what.begin, 1000u);
    EXPECT_EQ(found->what.region.bytes[0], static_cast<std::byte>(1000 % 251));
    EXPECT_FALSE(attachments.find(1090, 11)) << "it lies in two";
    EXPECT_FALSE(attachments.find(999, 1));
    EXPECT_FALSE(attachments.find(1150, 1));
    EXPECT_FALSE(attachments.find(1000, ~std::uint64_t{0})) << "no sum overflows";
    attachments.remove(*first);
    EXPECT_FALSE(attachments.find(1000, 1));
    EXPECT_TRUE(attachments.find(1100, 50));
}

TEST(Attachments, OfOnePlaceHaveVersions) {
    Attachments attachments;
    const auto place = attachments.add(memory(1000, 8));
    const auto before = attachments.find(1000, 8);
    attachments.remove(*place);
    EXPECT_EQ(attachments.add(memory(1000, 8)), place);
    const auto after = attachments.find(1000, 8);
    ASSERT_TRUE(before && after);
    EXPECT_NE(before->version, after->version);
}

TEST(Attachments, HaveSoManyPlaces) {
    Attachments attachments;
    for (std::size_t i = 0; i < Attachments::capacity; ++i)
        EXPECT_EQ(attachments.add(memory(1000 * i, 8)), i);
    EXPECT_FALSE(attachments.add(memory(1, 8)));
    for (const std::size_t likely : {std::size_t{0}, std::size_t{7}, Attachments::capacity - 1})
        EXPECT_EQ(attachments.find(7000, 8, likely)->place, 7u);
    attachments.remove(5);
    EXPECT_EQ(attachments.add(memory(1, 8)), 5u);
}

}  // namespace
}  // namespace railyard::mpi
