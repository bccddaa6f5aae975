#include "job/line_labels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/descriptor.hpp"

namespace railyard::job {
namespace {

std::string labelled(const std::vector<std::string>& pieces) {
    Pipe pipe = make_pipe();
    LineLabels labels(3, pipe.write.get());
    for (const std::string& piece : pieces)
        labels.feed(piece);
    labels.finish();
    std::string all(10'000, '\0');
    const ssize_t n = ::read(pipe.read.get(), all.data(), all.size());
    all.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
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
    Pipe pipe = make_pipe();
    LineLabels labels(0, pipe.write.get());
    labels.feed(std::string(5000, 'x'));
    char byte = 0;
    EXPECT_LT(::read(pipe.read.get(), &byte, 1), 0);
    labels.feed("\n");
    EXPECT_EQ(::read(pipe.read.get(), &byte, 1), 1);
}

}  // namespace
}  // namespace railyard::job
