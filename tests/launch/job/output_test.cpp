#include "launch/job/output.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace railyard::job {
namespace {

std::string labelled(const std::vector<std::string>& pieces) {
    std::string all;
    LineLabels labels(3, [&](std::string_view text) { all += text; });
    for (const std::string& piece : pieces)
        labels.feed(piece);
    labels.finish();
    return all;
}

TEST(LineLabels, EachLineHasOne) {
    EXPECT_EQ(labelled({"a\nb\n"}), "[3] a\n[3] b\n");
    EXPECT_EQ(labelled({"\n\n"}), "[3] \n[3] \n");
    EXPECT_EQ(labelled({}), "");
}

TEST(LineLabels, PiecesOfALineAreJoined) {
    EXPECT_EQ(labelled({"a", "b", "c\nd", "\n"}), "[3] abc\n[3] d\n");
}

TEST(LineLabels, ALastLineGetsItsNewline) {
    EXPECT_EQ(labelled({"a\nb"}), "[3] a\n[3] b\n");
}

TEST(LineLabels, ALineGoesOutOnlyWhenItIsWhole) {
    std::string all;
    LineLabels labels(0, [&](std::string_view text) { all += text; });
    labels.feed(std::string(5000, 'x'));
    EXPECT_EQ(all, "");
    labels.feed("\n");
    EXPECT_EQ(all, "[0] " + std::string(5000, 'x') + "\n");
}

}  // namespace
}  // namespace railyard::job
