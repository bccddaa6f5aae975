#include "launch/job/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
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

class WholeLinesOf : public ::testing::Test {
  protected:
    Reactor reactor_;
    std::vector<std::string> written_;
    WholeLines lines_{reactor_, [this](std::string_view text) { written_.emplace_back(text); }};
};

TEST_F(WholeLinesOf, OneRankGoOutInOnePiece) {
    lines_.feed("a");
    lines_.feed("b\nc\nd");
    EXPECT_EQ(written_, (std::vector<std::string>{"ab\nc\n"}));
    lines_.finish();
    EXPECT_EQ(written_, (std::vector<std::string>{"ab\nc\n", "d"}));
}

TEST_F(WholeLinesOf, OneRankThatAreNotFinishedSoonGoOut) {
    lines_.feed("n? ");
    EXPECT_TRUE(written_.empty());
    reactor_.run_until([this] { return !written_.empty(); });
    EXPECT_EQ(written_, (std::vector<std::string>{"n? "}));
}

TEST_F(WholeLinesOf, OneRankThatAreVeryLongGoOut) {
    const std::string half(WholeLines::longest / 2 + 1, 'x');
    lines_.feed(half);
    EXPECT_TRUE(written_.empty());
    lines_.feed(half);
    EXPECT_EQ(written_, (std::vector<std::string>{half, half}));
}

/// A pipe that nobody reads yet.
class OutputFileOf : public ::testing::Test {
  protected:
    void SetUp() override {
        previous_ = ::signal(SIGPIPE, SIG_IGN);
        ::fcntl(pipe_.write.get(), F_SETFL, 0);
    }
    void TearDown() override { ::signal(SIGPIPE, previous_); }
    std::string read_all() {
        std::string all(1 << 20, '\0');
        const ssize_t n = ::read(pipe_.read.get(), all.data(), all.size());
        all.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        return all;
    }

    void (*previous_)(int) = nullptr;
    Reactor reactor_;
    Pipe pipe_ = make_pipe();
    int changes_ = 0;
    OutputFile file_{reactor_, pipe_.write.get(), [this] { ++changes_; }};
};

TEST_F(OutputFileOf, APipeNeverWaits) {
    std::string all;
    for (int i = 0; i < 100'000; ++i)
        all += std::to_string(i);
    file_.write(all);
    file_.write("end");
    EXPECT_FALSE(file_.is_idle());
    EXPECT_EQ(changes_, 1);
    std::string got = read_all();
    while (!file_.is_idle()) {
        reactor_.turn();
        got += read_all();
    }
    EXPECT_EQ(got, all + "end");
    EXPECT_EQ(changes_, 2);
    EXPECT_EQ(file_.error(), 0);
}

TEST_F(OutputFileOf, APipeTellsThatItsReaderLeft) {
    pipe_.read.reset();
    file_.write("x");
    EXPECT_EQ(file_.error(), EPIPE);
    EXPECT_TRUE(file_.is_idle());
    EXPECT_EQ(changes_, 1);
}

}  // namespace
}  // namespace railyard::job
