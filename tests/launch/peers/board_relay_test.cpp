// Boards of two hosts, with a relay between them that is a list of messages.

#include "launch/peers/board_relay.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <thread>

#include "launch/job/board.hpp"
#include "launch/job/helpers.hpp"

namespace railyard::peers {
namespace {

using job::testing::bytes;
using job::testing::text;

/// One host's half: its board, and what it has to tell.
struct Half {
    Half(fabric::NodeId node, const std::vector<fabric::NodeId>& nodes)
        : memory(job::Board::size_for(static_cast<int>(nodes.size()))),
          board(job::Board::format(memory.span(), static_cast<int>(nodes.size()))),
          relay(board, node, nodes, [this](Message kind, std::string message) {
              told.emplace_back(kind, std::move(message));
          }) {}

    /// A rank's bootstrap, whose frames come to the relay at once.
    job::BoardBootstrap bootstrap(int rank) {
        return {board,
                rank,
                {[this, rank](std::string_view key, std::span<const std::byte> value) {
                     relay.on_frame(rank, job::FrameKind::put, job::put_payload(key, value));
                 },
                 [this, rank] { relay.on_frame(rank, job::FrameKind::fence, {}); }}};
    }
    void tell(Half& other) {
        for (; !told.empty(); told.pop_front())
            other.relay.on_message(told.front().first, told.front().second);
    }

    job::AnonymousMemory memory;
    job::Board board;
    std::deque<std::pair<Message, std::string>> told;
    BoardRelay relay;
};

class BoardRelayTest : public ::testing::Test {
  protected:
    const std::vector<fabric::NodeId> nodes_{0, 0, 1};
    Half a_{0, nodes_};
    Half b_{1, nodes_};
};

TEST_F(BoardRelayTest, SaysWhereRanksAre) {
    EXPECT_TRUE(a_.board.is_relayed());
    EXPECT_EQ(a_.board.node_of(1), 0u);
    EXPECT_EQ(b_.board.node_of(2), 1u);
}

TEST_F(BoardRelayTest, WhatIsPutHereIsFoundThere) {
    a_.bootstrap(1).put("key", bytes("value"));
    a_.tell(b_);
    EXPECT_EQ(text(b_.bootstrap(2).get(1, "key")), "value");
}

TEST_F(BoardRelayTest, WhoHasEndedBehindAFenceIsToldOfBehindIt) {
    // Rank 0 has passed a fence and ended before its host hears that rank 1 has entered, too.
    a_.relay.on_frame(0, job::FrameKind::fence, {});
    a_.relay.on_leave(0);
    a_.relay.on_frame(1, job::FrameKind::fence, {});
    std::vector<Message> kinds;
    for (const auto& [kind, message] : a_.told)
        kinds.push_back(kind);
    EXPECT_EQ(kinds, (std::vector{Message::fence, Message::left}));
}

TEST_F(BoardRelayTest, WhoHasEndedBeforeAFenceIsToldOfAtOnce) {
    a_.relay.on_frame(0, job::FrameKind::fence, {});
    a_.relay.on_leave(1);
    ASSERT_EQ(a_.told.size(), 1u);
    EXPECT_EQ(a_.told.front().first, Message::left);
}

TEST_F(BoardRelayTest, AFenceHasAllHosts) {
    // Two fences each, so that one does not run into the next.
    std::vector<std::thread> ranks;
    std::atomic<int> through{0};
    std::mutex mutex;
    const auto run = [&](Half& half, int rank) {
        ranks.emplace_back([&, rank] {
            auto bootstrap = [&] {
                return job::BoardBootstrap{
                    half.board, rank, {{}, [&half, &mutex, rank] {
                                           const std::lock_guard lock(mutex);
                                           half.relay.on_frame(rank, job::FrameKind::fence, {});
                                       }}};
            }();
            bootstrap.fence();
            ++through;
            bootstrap.fence();
            ++through;
        });
    };
    run(a_, 0);
    run(a_, 1);
    run(b_, 2);
    while (through < 6) {
        const std::lock_guard lock(mutex);
        a_.tell(b_);
        b_.tell(a_);
    }
    for (std::thread& rank : ranks)
        rank.join();
}

TEST_F(BoardRelayTest, AFenceIsToldOnceAHost) {
    a_.board.enter_fence(0);
    a_.relay.on_frame(0, job::FrameKind::fence, {});
    EXPECT_TRUE(a_.told.empty());
    a_.board.enter_fence(1);
    a_.relay.on_frame(1, job::FrameKind::fence, {});
    EXPECT_EQ(a_.told.size(), 1u);
}

TEST_F(BoardRelayTest, WhoeverLeavesIsNotWaitedFor) {
    a_.relay.on_leave(0);
    a_.tell(b_);
    EXPECT_THROW(b_.bootstrap(2).get(0, "never put"), Error);
    EXPECT_THROW(b_.bootstrap(2).fence(), Error);
}

TEST_F(BoardRelayTest, NobodySpeaksForRanksThatAreHere) {
    EXPECT_THROW(b_.relay.on_message(Message::put, RankPut{2, "key", "forged"}.text()), Error);
    EXPECT_THROW(b_.relay.on_message(Message::put, RankPut{9, "key", "forged"}.text()), Error);
    EXPECT_THROW(b_.relay.on_message(Message::put, "senseless"), Error);
    EXPECT_THROW(b_.relay.on_message(Message::left, number_text(2)), Error);
    EXPECT_THROW(b_.relay.on_message(Message::fence, number_text(1)), Error);
    EXPECT_THROW(b_.relay.on_message(Message::done, number_text(0)), Error);
}

}  // namespace
}  // namespace railyard::peers
