#include "interconnects/real/ofi/module/names.hpp"

#include <gmock/gmock.h>

#include "railyard/base/error.hpp"

namespace railyard::ofi {
namespace {

using PortNames = std::vector<std::vector<std::byte>>;

std::vector<std::byte> endpoint(std::size_t size, int value) {
    return std::vector<std::byte>(size, static_cast<std::byte>(value));
}

TEST(NicName, GoesThroughAnAddressWithAllItsPorts) {
    const PortNames ports = {endpoint(28, 200), endpoint(16, 0), endpoint(1, 7)};
    const NicName sent(77, "tcp;ofi_rxm:rdm", "node7", ports);
    const NicName come = NicName::from_address(sent.address());
    ASSERT_TRUE(come.is_valid());
    EXPECT_EQ(come.id, 77U);
    EXPECT_EQ(come.provider_name(), "tcp;ofi_rxm:rdm");
    EXPECT_EQ(come.host(), "node7");
    ASSERT_EQ(come.ports(), 3U);
    for (unsigned port = 0; port < 3; ++port)
        EXPECT_TRUE(std::ranges::equal(come.where(port), ports[port])) << port;
    EXPECT_TRUE(come.where(3).empty());
}

/// Addresses are what is needed; the host's name is for people.
TEST(NicName, CutsTheHostsName) {
    const NicName name(1, "verbs", std::string(60, 'h'), PortNames(2, endpoint(48, 1)));
    ASSERT_TRUE(name.is_valid());
    EXPECT_EQ(name.host(), "hhhhhhh");
    EXPECT_TRUE(std::ranges::equal(name.where(1), endpoint(48, 1)));
}

TEST(NicName, SaysWhereThereIsNoRoom) {
    EXPECT_THAT([] { NicName(1, "verbs", "h", PortNames(3, endpoint(48, 1))); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("RAILYARD_OFI_DOMAINS")));
}

/// Each byte of it may be anything: that is noticed, or it is harmless.
TEST(NicName, WhatIsNoNameIsFoundOut) {
    EXPECT_FALSE(NicName::from_address({}).is_valid());
    const fabric::Address right =
        NicName(1, "net", "host", PortNames(2, endpoint(16, 3))).address();
    for (std::size_t at = 0; at < right.bytes.size(); ++at)
        for (int value = 0; value < 256; ++value) {
            fabric::Address wrong = right;
            wrong.bytes[at] = static_cast<std::byte>(value);
            const NicName name = NicName::from_address(wrong);
            if (!name.is_valid()) continue;
            EXPECT_LE(name.host().size() + name.provider_name().size(), NicName::room);
            for (unsigned port = 0; port < name.ports(); ++port)
                EXPECT_LE(name.where(port).size(), NicName::room);
        }
}

TEST(NicName, OthersAreLikeItWithTheSameProviderAndAsManyPorts) {
    const NicName name(1, "net", "a", PortNames(2, endpoint(16, 1)));
    EXPECT_TRUE(NicName(2, "net", "b", PortNames(2, endpoint(16, 2))).is_like(name));
    EXPECT_FALSE(NicName(2, "tcp", "b", PortNames(2, endpoint(16, 2))).is_like(name));
    EXPECT_FALSE(NicName(2, "net", "b", PortNames(1, endpoint(16, 2))).is_like(name));
}

}  // namespace
}  // namespace railyard::ofi
