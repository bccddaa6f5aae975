// What ranks of one node have in common, and how one is noticed that is gone.

#include "launch/managers/node_share.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <future>

#include "launch/managers/card.hpp"
#include "launch/managers/managed_bootstrap.hpp"
#include "launch/managers/watch.hpp"
#include "railyard/base/error.hpp"

namespace railyard::managers {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(Card, IsReadAsItWasWritten) {
    Card card{.place = {1, 2, 3}, .node = 4, .share = {5, 6, 7, 8}};
    EXPECT_THAT(Card::parse(card.text()), Optional(card));
    card.listening = {.token = ~std::uint64_t{0}, .port = 65535, .addresses = {"10.0.0.1", "::1"}};
    EXPECT_THAT(Card::parse(card.text()), Optional(card));
    for (const char* wrong : {"", " ", "1 2 3", "1 2 3 4 5 6 7 8 9 x ", "1 2 3 4 5 6 7 8 9 10"})
        EXPECT_EQ(Card::parse(wrong), std::nullopt) << wrong;
}

TEST(Card, PlacesTakeNodesApart) {
    const Card here{.place = {1, 1, 1}};
    const Card container{.place = {1, 2, 1}};
    EXPECT_THAT(nodes_of({0, 0, 0, 0}, {here, container, here, container}),
                ElementsAre(0, 1, 0, 1));
    EXPECT_THAT(nodes_of({0, 1, 0}, {here, here, here}), ElementsAre(0, 1, 0));
    // Without the launcher's word, variables tell.
    Card second = here;
    second.node = 1;
    EXPECT_THAT(nodes_of({}, {here, second, here}), ElementsAre(0, 1, 0));
}

TEST(NodeShare, IsTheSameMemoryForItsMembers) {
    NodeShare first = NodeShare::create(2);
    NodeShare second = NodeShare::open(first.handle(), 2);
    first.enter(0);
    EXPECT_EQ(second.entered(), 1);
    second.enter(1);
    EXPECT_EQ(first.entered(), 2);
    EXPECT_EQ(first.process_of(1), ::getpid());
    second.board().put(1, "key", std::as_bytes(std::span("value")));
    EXPECT_EQ(first.board().get(1, "key").size(), sizeof "value");
    EXPECT_THROW(NodeShare::open(first.handle(), 3), Error);
}

/// A process that is member 1 and does nothing.
class Member {
  public:
    explicit Member(NodeShare share) : pid_(::fork()) {
        if (pid_ != 0) return;
        share.enter(1);
        for (;;)
            ::pause();
    }
    ~Member() { end(); }
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    void end() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

  private:
    pid_t pid_;
};

class WatchedNode : public ::testing::Test {
  protected:
    WatchedNode() {
        share.enter(0);
        while (share.entered() < 2)
            ::usleep(1000);
    }
    Watch::Lost lost() {
        return [this](const std::string& who) { said.set_value(who); };
    }
    NodeShare share = NodeShare::create(2);
    Member member{share};
    std::promise<std::string> said;
};

TEST_F(WatchedNode, OneThatDiesIsNoticed) {
    const Watch watch(Watch::Node{share, 0, {4, 9}}, {}, Duration::s(1), lost());
    auto who = said.get_future();
    EXPECT_EQ(who.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    member.end();
    EXPECT_THAT(who.get(), ::testing::StartsWith("rank 9 (process "));
}

TEST_F(WatchedNode, OneThatHasLeftMayEnd) {
    auto who = said.get_future();
    {
        const Watch watch(Watch::Node{share, 0, {4, 9}}, {}, Duration::s(1), lost());
        share.board().leave(1);
        member.end();
        EXPECT_EQ(who.wait_for(std::chrono::milliseconds(800)), std::future_status::timeout);
    }
}

/// The first ranks of two nodes, in one process.
struct TwoNodes {
    WatchPort one = WatchPort::open();
    WatchPort other = WatchPort::open();
    Listening at_one = one.listening();
    Listening at_other = other.listening();
    std::atomic<int> lost{0};

    std::unique_ptr<Watch> watch(WatchPort port, const Listening& next) {
        return std::make_unique<Watch>(std::nullopt,
                                       Watch::Others{std::move(port), next, "rank 1", "rank 1"},
                                       Duration::s(1), [this](const std::string&) { ++lost; });
    }
};

TEST(WatchedNodes, WhoTakesLeaveIsNotMissed) {
    for (int round = 0; round < 50; ++round) {
        TwoNodes nodes;
        auto first = nodes.watch(std::move(nodes.one), nodes.at_other);
        auto second = nodes.watch(std::move(nodes.other), nodes.at_one);
        ::usleep(static_cast<unsigned>(round * 20));
        first.reset();
        second.reset();
        EXPECT_EQ(nodes.lost, 0);
    }
}

TEST(WatchedNodes, OneWhoseConnectionEndsIsMissed) {
    TwoNodes nodes;
    const pid_t other = ::fork();
    if (other == 0) {
        const auto watch = nodes.watch(std::move(nodes.other), nodes.at_one);
        for (;;)
            ::pause();
    }
    nodes.other = WatchPort::open();  // that of the child is its own
    const auto watch = nodes.watch(std::move(nodes.one), nodes.at_other);
    ::usleep(200'000);
    EXPECT_EQ(nodes.lost, 0);
    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);
    for (int i = 0; i < 2000 && nodes.lost == 0; ++i)
        ::usleep(5000);
    EXPECT_EQ(nodes.lost, 1);
}

}  // namespace
}  // namespace railyard::managers
