#include "interconnects/real/iwarp/handshake.hpp"

#include <gtest/gtest.h>

#include "interconnects/real/iwarp/support.hpp"
#include "interconnects/real/iwarp/vectors.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp::mpa {
namespace {

using namespace railyard::iwarp::testing;

Buffer written(const StartupFrame& frame) {
    Buffer bytes(longest_startup);
    bytes.resize(frame.write(bytes.data()));
    return bytes;
}

StartupError error_of(const Buffer& bytes, bool expects_reply) {
    StartupReader reader(expects_reply);
    reader.feed(bytes);
    EXPECT_FALSE(reader.complete());
    EXPECT_EQ(reader.missing() == 0, reader.error() != StartupError::none);
    return reader.error();
}

TEST(Startup, MayBeCutAnywhereAndTakesNoByteMore) {
    for (const std::size_t size : {0, 1, 256, 508}) {
        StartupFrame frame{.markers = true, .enhanced = Enhanced{.ird = 3, .ord = 0x3ffe}};
        frame.set_private_data(pattern(size));
        Buffer bytes = written(frame);
        const std::size_t whole = bytes.size();
        append(bytes, pattern(50));  // what follows is not its business
        for (const std::size_t piece : {1, 7, 20, 21, 1000}) {
            StartupReader reader(false);
            std::size_t used = 0;
            while (!reader.complete()) {
                const std::size_t missing = reader.missing();
                const std::size_t n = std::min(piece, bytes.size() - used);
                ASSERT_GT(n, 0u);
                const std::size_t took = reader.feed(std::span(bytes).subspan(used, n));
                EXPECT_GT(took, 0u);
                EXPECT_GT(missing, 0u);
                used += took;
            }
            EXPECT_EQ(used, whole);
            EXPECT_EQ(reader.missing(), 0u);
            EXPECT_EQ(reader.frame().enhanced, frame.enhanced);
            EXPECT_TRUE(reader.frame().markers);
            EXPECT_EQ(to_hex(reader.frame().private_data()), to_hex(pattern(size)));
        }
    }
}

TEST(Startup, PrivateDataHaveALimit) {
    StartupFrame plain{.revision = 1};
    plain.set_private_data(pattern(512));
    EXPECT_THROW(plain.set_private_data(pattern(513)), UsageError);
    StartupFrame enhanced{.enhanced = Enhanced{}};
    enhanced.set_private_data(pattern(508));
    EXPECT_THROW(enhanced.set_private_data(pattern(509)), UsageError);

    Buffer bytes = hex(vectors::mpa_req_rev1);
    store16(bytes.data() + 18, 512);
    StartupReader reader(false);
    reader.feed(bytes);
    EXPECT_EQ(reader.missing(), 512u);
    store16(bytes.data() + 18, 513);
    EXPECT_EQ(error_of(bytes, false), StartupError::private_data);
    bytes = hex(vectors::mpa_req_rev2);
    store16(bytes.data() + 18, 3);  // less than the enhanced data
    EXPECT_EQ(error_of(bytes, false), StartupError::private_data);
}

TEST(Startup, AWrongKeyIsFoundAtItsFirstByte) {
    for (std::size_t at = 0; at < 16; ++at) {
        Buffer bytes = hex(vectors::mpa_req_rev2);
        bytes[at] ^= std::byte{0x80};
        StartupReader reader(false);
        EXPECT_EQ(reader.feed(std::span(bytes).first(at)), at);
        EXPECT_EQ(reader.error(), StartupError::none);
        reader.feed(std::span(bytes).subspan(at, 1));
        EXPECT_EQ(reader.error(), StartupError::wrong_key);
        EXPECT_EQ(reader.feed(bytes), 0u);
    }
}

TEST(Startup, TheOtherKindOfFrameIsToldApart) {
    EXPECT_EQ(error_of(hex(vectors::mpa_req_rev1), true), StartupError::both_asked);
    EXPECT_EQ(error_of(hex(vectors::mpa_rep_rev1), false), StartupError::nobody_asked);
    // Only if it is one to the end: whichever way it is cut.
    const Buffer nearly = text_bytes("MPA ID Req FrXme");
    EXPECT_EQ(error_of(nearly, true), StartupError::wrong_key);
    StartupReader by_bytes(true);
    for (std::size_t i = 0; i < nearly.size(); ++i)
        by_bytes.feed(std::span(nearly).subspan(i, 1));
    EXPECT_EQ(by_bytes.error(), StartupError::wrong_key);
}

TEST(Startup, KnowsRevisionsOneAndTwo) {
    for (const unsigned revision : {0u, 3u, 129u, 255u}) {
        Buffer bytes = hex(vectors::mpa_req_rev1);
        bytes[17] = static_cast<std::byte>(revision);
        EXPECT_EQ(error_of(bytes, false), StartupError::revision) << revision;
    }
}

TEST(Startup, ReservedBitsMeanNothing) {
    Buffer bytes = hex(vectors::mpa_req_rev1);
    bytes[16] |= std::byte{0x3f};  // in revision 1 also the bit for enhanced data
    StartupReader reader(false);
    reader.feed(bytes);
    ASSERT_TRUE(reader.complete());
    EXPECT_FALSE(reader.frame().enhanced);
    EXPECT_FALSE(reader.frame().reject);  // only a reply rejects
    // Without peer-to-peer, the kinds of ready-to-receive mean nothing.
    bytes = hex(vectors::mpa_req_rev2);
    bytes[20] |= std::byte{0x40};
    bytes[22] |= std::byte{0xc0};
    StartupReader second(false);
    second.feed(bytes);
    EXPECT_EQ(second.frame().enhanced, (Enhanced{.ird = 16, .ord = 16}));
}

}  // namespace
}  // namespace railyard::iwarp::mpa
