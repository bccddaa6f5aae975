// Two sides of a job that find each other, both on this host. What they measure is tested with two
// calls of `railyard` (tests/cli/peers_test.cpp).

#include "launch/peers/peer_job.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/free_port.hpp"
#include "launch/job/helpers.hpp"
#include "railyard/base/error.hpp"

namespace railyard::peers {
namespace {

using job::Rank;
using job::testing::SharedCounter;

constexpr const char* key = "00112233445566778899aabbccddeeff";

void nothing(Rank&) {}

void wait_for_ever(Rank& rank) {
    rank.bootstrap().get(rank.id(), "never put");
}

TEST(PeerJob, NeedsAFabricThatReachesOtherHosts) {
    job::Options options;
    options.fabric = "shm";
    EXPECT_THROW(run_with_peer(options, {.secret = key}, nothing), UsageError);
    options.fabric = "ideal";
    EXPECT_THROW(run_with_peer(options, {.secret = key}, nothing), UsageError);
}

/// One of the two, in a process of its own, so that signals can be sent to it.
class Side {
  public:
    Side(PeerOptions::Side side, const std::string& port, const job::Body& body) : pid_(::fork()) {
        if (pid_ != 0) return;
        job::Options options;
        options.fabric = "iwarp";
        options.pin = false;
        const PeerOptions peer{
            .side = side, .address = "127.0.0.1:" + port, .secret = key, .task = "test"};
        const job::Result result = run_with_peer(options, peer, body);
        ::_exit(result.failure == "interrupted" || result.ok ? result.exit_code : 99);
    }
    ~Side() {
        if (pid_ > 0) wait();
    }
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;

    pid_t pid() const { return pid_; }
    int wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }

  private:
    pid_t pid_;
};

TEST(PeerJob, EndsOnBothSidesWhenOneIsInterrupted) {
    const std::string port = railyard::testing::free_port();
    Side listening(PeerOptions::Side::listens, port, [](Rank& rank) {
        ::kill(::getppid(), SIGINT);
        wait_for_ever(rank);
    });
    Side calling(PeerOptions::Side::calls, port, wait_for_ever);
    EXPECT_EQ(listening.wait(), 128 + SIGINT);
    EXPECT_EQ(calling.wait(), 128 + SIGINT);
}

TEST(PeerJob, HearsAnInterruptWhileTheOtherSideStillWorks) {
    const std::string port = railyard::testing::free_port();
    SharedCounter rank_here;
    Side listening(PeerOptions::Side::listens, port, [&](Rank&) { *rank_here = ::getpid(); });
    Side calling(PeerOptions::Side::calls, port, wait_for_ever);
    // Once its own rank is gone, all that it does is wait for the other.
    while (*rank_here == 0 || ::kill(*rank_here, 0) == 0)
        ::usleep(1000);
    ::kill(listening.pid(), SIGINT);
    EXPECT_EQ(listening.wait(), 128 + SIGINT);
    EXPECT_EQ(calling.wait(), 128 + SIGINT);
}

}  // namespace
}  // namespace railyard::peers
