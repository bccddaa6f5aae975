#include "launch/links/seal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "railyard/base/error.hpp"

namespace railyard::links {
namespace {

using Frames = std::vector<std::pair<std::uint32_t, std::string>>;

Secret::Bytes key() {
    Secret::Bytes bytes{};
    bytes.fill(7);
    return bytes;
}

/// What comes out, and whether all of it was believed.
std::pair<Frames, bool> opened(std::string_view stream, std::size_t piece) {
    Unsealer unsealer(key());
    Frames frames;
    bool ok = true;
    for (std::size_t at = 0; at < stream.size(); at += piece)
        ok = unsealer.feed(stream.substr(at, piece), [&](std::uint32_t kind, std::string payload) {
            frames.emplace_back(kind, std::move(payload));
        });
    return {frames, ok};
}

std::string sealed(const Frames& frames) {
    Sealer sealer(key());
    std::string stream;
    for (const auto& [kind, payload] : frames)
        sealer.seal(kind, payload, stream);
    return stream;
}

const Frames three{{1, "one"}, {2, ""}, {3, std::string(300, 'x')}};

TEST(Seal, FramesComeBackFromPiecesOfAnySize) {
    const std::string stream = sealed(three);
    for (std::size_t piece = 1; piece <= stream.size(); ++piece)
        EXPECT_EQ(opened(stream, piece), std::pair(three, true)) << "in pieces of " << piece;
}

TEST(Seal, NothingCanBeReadOnTheWay) {
    EXPECT_EQ(sealed({{1, "a very secret text"}}).find("secret"), std::string::npos);
    // Nor does the same text look the same again.
    const std::string twice = sealed({{1, "text"}, {1, "text"}});
    EXPECT_NE(twice.substr(0, twice.size() / 2), twice.substr(twice.size() / 2));
}

TEST(Seal, EveryChangedBitIsNoticed) {
    const std::string stream = sealed({{1, "one"}});
    for (std::size_t bit = 0; bit < 8 * stream.size(); ++bit) {
        std::string forged = stream + sealed({{9, "more"}});
        forged[bit / 8] = static_cast<char>(forged[bit / 8] ^ (1 << bit % 8));
        const auto [frames, ok] = opened(forged, forged.size());
        EXPECT_TRUE(frames.empty()) << "bit " << bit;
    }
}

TEST(Seal, FramesKeepTheirOrderAndComeOnce) {
    const std::string one = sealed({{1, "one"}});
    const std::string both = sealed({{1, "one"}, {2, "two"}});
    const std::string two = both.substr(one.size());
    EXPECT_FALSE(opened(two, 1000).second);
    EXPECT_FALSE(opened(one + one, 1000).second);
    EXPECT_TRUE(opened(one + two, 1000).second);
}

TEST(Seal, ALengthThatIsTooLargeIsNotWaitedFor) {
    std::string forged = sealed({{1, "one"}});
    forged[3] = '\x7f';
    EXPECT_FALSE(opened(forged.substr(0, 8), 8).second);
    std::string out;
    EXPECT_THROW(Sealer(key()).seal(1, std::string(longest_frame + 1, 'x'), out), UsageError);
}

}  // namespace
}  // namespace railyard::links
