// Two calls of `railyard measure` that find each other, as on two hosts (here both are this one),
// and the secret by which they do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <future>

#include "cli/program.hpp"
#include "launch/free_port.hpp"

namespace railyard::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

Arguments with(Arguments first, const Arguments& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
}

class MeasureWithPeer : public ::testing::Test {
  protected:
    MeasureWithPeer() : secret_(scratch_.file("secret")) {
        EXPECT_EQ(railyard({"secret", secret_}).exit_code, 0);
    }
    Arguments measure(const Arguments& rest) const {
        return with({"measure", "latency-uni", "--on", "iwarp", "--sizes", "8", "--iterations",
                     "20", "--warmup", "2", "--no-pin", "--quiet"},
                    rest);
    }
    /// Both sides at once: who listens, and who calls.
    std::pair<Ended, Ended> both(const Arguments& listening, const Arguments& calling) const {
        auto listener = std::async(std::launch::async, [&] {
            return railyard(
                with(listening, {"--listen", "127.0.0.1:" + port_, "--secret-file", secret_}));
        });
        const Ended caller =
            railyard(with(calling, {"--peer", "127.0.0.1:" + port_, "--secret-file", secret_}));
        return {listener.get(), caller};
    }

    ScratchDirectory scratch_;
    const std::string secret_;
    const std::string port_ = railyard::testing::free_port();
};

TEST_F(MeasureWithPeer, BothSidesShowTheResults) {
    const auto [listener, caller] = both(measure({"--csv", "-"}), measure({"--csv", "-"}));
    EXPECT_EQ(listener.exit_code, 0) << listener.err;
    EXPECT_EQ(caller.exit_code, 0) << caller.err;
    EXPECT_THAT(caller.out, HasSubstr("latency-uni"));
    EXPECT_EQ(listener.out, caller.out);
}

TEST_F(MeasureWithPeer, WhoeverWantsSomethingElseIsTold) {
    const auto [listener, caller] = both(measure({}), measure({"--ops", "rdma_write"}));
    EXPECT_EQ(listener.exit_code, 2);
    EXPECT_EQ(caller.exit_code, 2);
    EXPECT_THAT(caller.err, HasSubstr("the two sides want different things"));
}

TEST_F(MeasureWithPeer, WhoeverHasAnotherSecretIsToldAtOnce) {
    const std::string other = scratch_.file("other");
    EXPECT_EQ(railyard({"secret", other}).exit_code, 0);
    std::future<Ended> listener = std::async(std::launch::async, [&] {
        return railyard(measure({"--listen", "127.0.0.1:" + port_, "--secret-file", secret_}));
    });
    const auto call = [&](const std::string& secret) {
        return railyard(measure({"--peer", "127.0.0.1:" + port_, "--secret-file", secret}));
    };
    const Ended stranger = call(other);
    EXPECT_EQ(stranger.exit_code, 1);
    EXPECT_THAT(stranger.err, HasSubstr("does not know the secret"));
    EXPECT_EQ(call(secret_).exit_code, 0) << "the stranger was in nobody's way";
    EXPECT_EQ(listener.get().exit_code, 0);
}

TEST_F(MeasureWithPeer, ASecretIsNeeded) {
    EXPECT_THAT(complaint({"measure", "latency-uni", "--on", "iwarp", "--peer", "127.0.0.1"}),
                HasSubstr("without a secret anybody on the network could take part"));
    EXPECT_THAT(complaint({"measure", "latency-uni", "--on", "iwarp", "--secret-file", secret_}),
                HasSubstr("it is for --listen and --peer"));
}

TEST_F(MeasureWithPeer, WhatCannotBeDoneIsSaid) {
    const Arguments peer{"--peer", "127.0.0.1", "--secret-file", secret_};
    EXPECT_THAT(complaint(with({"measure", "latency-uni", "--on", "shm"}, peer)),
                HasSubstr("shm does not reach other hosts"));
    EXPECT_THAT(complaint(with({"measure", "limits", "--on", "iwarp"}, peer)),
                HasSubstr("it measures this machine"));
    EXPECT_THAT(complaint(with({"measure", "latency-uni", "--listen", "127.0.0.1"}, peer)),
                HasSubstr("one host listens, and the other calls it"));
}

TEST(SecretCommand, PrintsANewOneEachTime) {
    const Ended one = railyard({"secret"});
    EXPECT_EQ(one.exit_code, 0) << one.err;
    EXPECT_THAT(one.out, MatchesRegex("[0-9a-f]{64}\n"));
    EXPECT_NE(one.out, railyard({"secret"}).out);
}

TEST(SecretCommand, WritesAFileForItsOwnerAlone) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("key");
    EXPECT_EQ(railyard({"secret", file}).out, "");
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_THAT(complaint({"secret", file}), HasSubstr("is there already"));
}

TEST(SecretCommand, SaysHowItIsUsed) {
    const Ended help = railyard({"secret", "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr("Examples:\n  railyard secret"));
    EXPECT_THAT(help.out, HasSubstr("--secret-file key"));
}

TEST(SecretCommand, IsTheRemedyForSecretsThatCanBeGuessed) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("key");
    std::ofstream(file) << "nobody would ever guess this\n";
    ::chmod(file.c_str(), 0600);
    const std::string said = complaint(
        {"measure", "latency-uni", "--on", "iwarp", "--peer", "127.0.0.1", "--secret-file", file});
    EXPECT_THAT(said, HasSubstr("at least 128 random bits"));
    EXPECT_THAT(said, HasSubstr("`railyard secret` makes a good one"));
}

}  // namespace

}  // namespace railyard::cli
