#include "launch/job/launcher.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include "base/reactor.hpp"
#include "launch/job/board.hpp"
#include "process_fixture.hpp"

namespace railyard::job {
namespace {

class LauncherOfNobody : public testing::ProcessJob {
  protected:
    Launcher::Options two_ranks() const {
        Launcher::Options options;
        options.ranks = {0, 1};
        return options;
    }

    AnonymousMemory memory_{Board::size_for(2)};
    Board board_ = Board::format(memory_.span(), 2);
    Reactor reactor_;
};

TEST_F(LauncherOfNobody, StartsNothingOnceTheJobIsToEnd) {
    Launcher launcher(two_ranks(), board_, reactor_);
    launcher.fail("ended elsewhere", 3, SIGTERM);
    const Result result = launcher.run([](int, RankPipes&) -> pid_t {
        ADD_FAILURE() << "a rank is started";
        throw Error("no");
    });
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.failure, "ended elsewhere");
    EXPECT_EQ(result.exit_code, 3);
}

TEST_F(LauncherOfNobody, HearsSignalsWhileItWaitsForSomethingElse) {
    Launcher launcher(two_ranks(), board_, reactor_);
    const Pipe pipe = make_pipe();
    bool is_ready = false;
    const auto watch =
        launcher.reactor().watch(pipe.read.get(), Reactor::For::reading, [&] { is_ready = true; });
    ::raise(SIGTERM);
    EXPECT_EQ(launcher.turn(), SIGTERM);
    EXPECT_FALSE(is_ready);
    ASSERT_EQ(::write(pipe.write.get(), "x", 1), 1);
    EXPECT_EQ(launcher.turn(), 0);
    EXPECT_TRUE(is_ready);
}

}  // namespace
}  // namespace railyard::job
