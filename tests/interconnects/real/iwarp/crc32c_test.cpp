#include "interconnects/real/iwarp/crc32c.hpp"

#include <gtest/gtest.h>

#include "interconnects/real/iwarp/support.hpp"

namespace railyard::iwarp {
namespace {

using testing::pattern;
using testing::text_bytes;

TEST(Crc32c, GivesTheKnownAnswer) {
    EXPECT_EQ(crc32c(text_bytes("123456789")), 0xe3069283u);
    EXPECT_EQ(crc32c({}), 0u);
    EXPECT_EQ(crc32c(std::vector<std::byte>(32)), 0x8a9136aau);                  // RFC 3720
    EXPECT_EQ(crc32c(std::vector<std::byte>(32, std::byte{255})), 0x62a8ab43u);  // likewise
}

// One bit after the other, as the definition has it.
std::uint32_t by_bits(std::span<const std::byte> bytes) {
    std::uint32_t state = 0xffffffff;
    for (const std::byte b : bytes) {
        state ^= std::to_integer<std::uint32_t>(b);
        for (int i = 0; i < 8; ++i)
            state = (state >> 1) ^ ((state & 1) != 0 ? 0x82f63b78 : 0);
    }
    return ~state;
}

void expect_all_agree(std::span<const std::byte> bytes) {
    const std::uint32_t expected = by_bits(bytes);
    const std::size_t n = bytes.size();
    EXPECT_EQ(~detail::crc32c_portable(~0u, bytes.data(), n), expected) << n;
    EXPECT_EQ(crc32c(bytes), expected) << n;
    if (!detail::crc32c_in_hardware()) return;
    EXPECT_EQ(~detail::crc32c_serial(~0u, bytes.data(), n), expected) << n;
    EXPECT_EQ(~detail::crc32c_interleaved(~0u, bytes.data(), n), expected) << n;
}

TEST(Crc32c, IsTheSameInEveryWay) {
    const auto data = pattern(20000);
    const std::span<const std::byte> bytes(data);
    for (std::size_t n = 0; n < 300; ++n)
        for (const std::size_t at : {0, 1, 3, 7})
            expect_all_agree(bytes.subspan(at, n));
    for (const std::size_t n : {767, 768, 769, 1442, 6143, 6144, 6145, 12289, 19000})
        expect_all_agree(bytes.subspan(n % 5, n));
}

TEST(Crc32c, MayComeInPieces) {
    const auto data = pattern(9000);
    const std::span<const std::byte> bytes(data);
    for (const std::size_t piece : {1, 7, 64, 1000, 8999}) {
        Crc32c crc;
        for (std::size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at))
            crc.add(bytes.subspan(at, std::min(piece, bytes.size() - at)));
        EXPECT_EQ(crc.value(), crc32c(bytes)) << piece;
    }
}

}  // namespace
}  // namespace railyard::iwarp
