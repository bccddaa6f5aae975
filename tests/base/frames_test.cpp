#include "base/frames.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace railyard {

namespace {

using Reader = BasicFrameReader<std::uint32_t>;
using Frames = std::vector<std::pair<std::uint32_t, std::string>>;
constexpr std::size_t longest = 1 << 20;

/// What comes out, and whether all of it was believed.
std::pair<Frames, bool> read(std::string_view stream, std::size_t piece) {
    Reader reader(longest);
    Frames frames;
    bool ok = true;
    for (std::size_t at = 0; at < stream.size(); at += piece)
        ok = reader.feed(stream.substr(at, piece), [&](std::uint32_t kind, std::string payload) {
            frames.emplace_back(kind, std::move(payload));
        });
    return {frames, ok};
}

std::string written(const Frames& frames) {
    std::string stream;
    for (const auto& [kind, payload] : frames) {
        const FrameHeader header = frame_header(kind, payload.size());
        stream.append(header.data(), header.size()).append(payload);
    }
    return stream;
}

const Frames three{{1, "one"}, {2, ""}, {3, std::string(300, 'x')}};

TEST(FrameReader, FramesComeBackFromPiecesOfAnySize) {
    const std::string stream = written(three);
    for (std::size_t piece = 1; piece <= stream.size(); ++piece)
        EXPECT_EQ(read(stream, piece), std::pair(three, true)) << "in pieces of " << piece;
}

TEST(FrameReader, ALengthThatIsTooLargeIsNotWaitedFor) {
    std::string stream = written({{1, "one"}, {2, "two"}});
    stream[8 + 3] = '\x7f';
    EXPECT_EQ(read(stream.substr(0, 16), 16), std::pair(Frames{}, false));
    EXPECT_EQ(read(stream, stream.size()), std::pair(Frames{}, false)) << "nor is what follows";
}

TEST(FrameReader, NumbersAreTheSameOnEveryMachine) {
    const FrameHeader header = frame_header(0x0102, 3);
    EXPECT_EQ(std::string(header.data(), header.size()),
              std::string("\x02\x01\0\0\0\0\0\0\x03\0\0\0\0\0\0\0", 16));
}

TEST(Fields, ComeBack) {
    const std::string bytes =
        FieldWriter().number(7).text("seven").texts({"a", "", "b"}).number(~0ull).take();
    FieldReader in(bytes);
    EXPECT_EQ(in.small_number(), 7u);
    EXPECT_EQ(in.text(), "seven");
    EXPECT_EQ(in.texts(), (std::vector<std::string>{"a", "", "b"}));
    EXPECT_FALSE(in.complete());
    EXPECT_EQ(in.number(), ~0ull);
    EXPECT_TRUE(in.complete());
}

TEST(Fields, AnythingCutShortIsSeen) {
    const std::string bytes = FieldWriter().number(7).text("seven").texts({"a"}).take();
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        FieldReader in(std::string_view(bytes).substr(0, n));
        in.number();
        in.text();
        in.texts();
        EXPECT_FALSE(in.ok()) << n;
    }
}

TEST(Fields, LengthsAreNotBelieved) {
    const std::string bytes = FieldWriter().number(1ull << 60).take();
    EXPECT_EQ(FieldReader(bytes).text(), "");
    EXPECT_TRUE(FieldReader(bytes).texts().empty());
    FieldReader in(bytes);
    EXPECT_EQ(in.small_number(), 0u);
    EXPECT_FALSE(in.ok());
}

}  // namespace

}  // namespace railyard
