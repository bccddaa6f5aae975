// A bound on connections: those that are closed for others lose nothing, reorder nothing, and come
// back on demand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <random>

#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

Change at_most(std::uint32_t connections, const Change& more = {}) {
    return [=](Settings& s) {
        s.max_connections = connections;
        s.tagged = false;  // there are no connections where the adapter matches
        if (more) more(s);
    };
}

class Bounded : public testing::TestWithParam<std::string> {
  protected:
    void run(int ranks, const std::function<void(World&)>& body, const Change& change) {
        const job::Result result = run_world(GetParam(), ranks, body, change);
        EXPECT_TRUE(result.ok) << result.failure;
    }
};

/// What each rank sends to whom: every rank knows the plans of all.
class Plan {
  public:
    struct Message {
        int to;
        std::size_t bytes;
    };
    Plan(int rank, int ranks, int messages) {
        std::mt19937 random(static_cast<unsigned>(rank) * 7919 + 1);
        // All others in random order, then again in another.
        std::vector<int> others;
        for (int other = 0; other < ranks; ++other)
            if (other != rank) others.push_back(other);
        while (std::ssize(all) < messages) {
            std::shuffle(others.begin(), others.end(), random);
            for (const int other : others)
                if (std::ssize(all) < messages) all.push_back({other, size(random)});
        }
    }
    std::vector<Message> all;

  private:
    static std::size_t size(std::mt19937& random) {
        // Most are small; one in sixteen goes by rendezvous.
        if (random() % 16 != 0) return random() % 200;
        return random() % 40'000;
    }
};

/// Sends what its plan says, with a few sends under way, and takes what comes.
class Talker {
  public:
    Talker(World& world, std::uint32_t limit, int messages)
        : w_(world), limit_(limit), next_(static_cast<std::size_t>(world.size())) {
        for (int rank = 0; rank < w_.size(); ++rank) {
            if (rank == w_.rank()) continue;
            for (const Plan::Message& message : Plan(rank, w_.size(), messages).all)
                if (message.to == w_.rank())
                    next_[static_cast<std::size_t>(rank)].push_back(message.bytes);
        }
        for (const auto& from : next_)
            expected_ += from.size();
        receive();
        for (const Plan::Message& message : Plan(w_.rank(), w_.size(), messages).all)
            send(message);
        while (!sends_.empty() || receive_ != nullptr)
            advance();
    }

  private:
    struct Send {
        Request* request;
        std::vector<std::byte> data;
    };
    static unsigned seed(int from, int to, std::size_t bytes) {
        return static_cast<unsigned>(from * 1000 + to) + static_cast<unsigned>(bytes) * 31;
    }
    void receive() {
        receive_ = nullptr;
        if (expected_ == 0) return;
        --expected_;
        room_.resize(40'000);
        receive_ = &w_.process.start_receive({room_.data(), room_.size(), &World::bytes()},
                                             any_source, any_tag, w_.comm);
    }
    void send(const Plan::Message& message) {
        auto& one = sends_.emplace_back();
        one.data = pattern(message.bytes, seed(w_.rank(), message.to, message.bytes));
        one.request =
            &w_.process.start_send(ConstBuffer(one.data.data(), one.data.size(), World::bytes()),
                                   message.to, static_cast<int>(sent_++ % 1000), w_.comm);
        while (sends_.size() > 6)
            advance();
    }
    void advance() {
        w_.process.wait_until([this] {
            return (receive_ != nullptr && receive_->complete) ||
                   (!sends_.empty() && sends_.front().request->complete);
        });
        const Counters& counters = w_.process.counters();
        expect(counters.connections - counters.closed <= limit_, "more connections than allowed");
        while (!sends_.empty() && sends_.front().request->complete) {
            w_.process.release(*sends_.front().request);
            sends_.pop_front();
        }
        if (receive_ != nullptr && receive_->complete) take();
    }
    void take() {
        const Status status = receive_->result;
        w_.process.release(*receive_);
        auto& from = next_.at(static_cast<std::size_t>(status.source));
        expect(!from.empty(), "a message too many");
        expect(status.bytes == from.front(), "lost or out of order");
        room_.resize(status.bytes);
        expect(room_ == pattern(status.bytes, seed(status.source, w_.rank(), status.bytes)),
               "wrong bytes");
        from.pop_front();
        receive();
    }

    World& w_;
    std::uint32_t limit_;
    std::vector<std::deque<std::size_t>> next_;  ///< by source: the sizes that are to come
    std::size_t expected_ = 0;                   ///< receives still to be posted
    std::size_t sent_ = 0;
    std::deque<Send> sends_;
    std::vector<std::byte> room_;
    Request* receive_ = nullptr;
};

int number(const char* variable, int otherwise) {
    const char* const text = std::getenv(variable);
    return text != nullptr ? std::atoi(text) : otherwise;
}

TEST_P(Bounded, EveryRankTalksToAllOthers) {
    const int ranks = number("RAILYARD_BOUNDED_RANKS", 12);
    const int each = number("RAILYARD_BOUNDED_MESSAGES", 1'200) / ranks;
    std::mutex mutex;
    std::uint64_t closed = 0;
    run(
        ranks,
        [&](World& w) {
            Talker(w, 4, each);
            const std::lock_guard lock(mutex);
            closed += w.process.counters().closed;
        },
        at_most(4));
    EXPECT_GT(closed, static_cast<std::uint64_t>(ranks));
    RecordProperty("closed", std::to_string(closed));
}

// Were each to ask as many as it may have, none could answer.
TEST_P(Bounded, AllMayAskAllAtOnce) {
    for (const std::uint32_t limit : {2u, 3u})
        run(
            8,
            [&](World& w) {
                std::vector<Request*> requests;
                std::vector<std::vector<std::byte>> in(8, std::vector<std::byte>(3000));
                const auto out = pattern(3000, static_cast<unsigned>(w.rank()));
                for (int other = 0; other < 8; ++other) {
                    if (other == w.rank()) continue;
                    auto& into = in[static_cast<std::size_t>(other)];
                    requests.push_back(&w.process.start_send(
                        ConstBuffer(out.data(), out.size(), World::bytes()), other, 1, w.comm,
                        other % 2 == 0 ? Mode::synchronous : Mode::standard));
                    requests.push_back(&w.process.start_receive(
                        {into.data(), into.size(), &World::bytes()}, other, 1, w.comm));
                }
                for (Request* request : requests) {
                    w.process.wait(*request);
                    w.process.release(*request);
                }
                for (int other = 0; other < 8; ++other)
                    if (other != w.rank())
                        expect(in[static_cast<std::size_t>(other)] ==
                                   pattern(3000, static_cast<unsigned>(other)),
                               "wrong bytes");
            },
            at_most(limit));
}

// The receivers of four large messages wait for a fifth rank, which waits for the first: it must
// reach it, though all its connections carry messages that are not matched.
TEST_P(Bounded, AnUnmatchedMessageHoldsNoConnection) {
    for (const Way way : {Way::stream, Way::read, Way::write})
        run(
            6,
            [](World& w) {
                const auto large = pattern(300'000, 5);
                if (w.rank() == 0) {
                    std::vector<Request*> sends;
                    for (int to = 1; to < 5; ++to)
                        sends.push_back(&w.process.start_send(
                            ConstBuffer(large.data(), large.size(), World::bytes()), to, 1,
                            w.comm));
                    w.send(pattern(10, 6), 5, 2);
                    for (Request* send : sends) {
                        w.process.wait(*send);
                        w.process.release(*send);
                    }
                } else if (w.rank() == 5) {
                    w.receive(10, 0, 2);
                    for (int to = 1; to < 5; ++to)
                        w.send({}, to, 3);
                } else {
                    w.receive(0, 5, 3);
                    expect(w.receive(300'000, 0, 1) == large, "wrong bytes");
                }
            },
            at_most(2, [&](Settings& s) { s.bulk = way; }));
}

TEST_P(Bounded, TheLeastRecentlyUsedGoesFirst) {
    run(
        5,
        [](World& w) {
            const auto talk = [&](int other) {
                if (w.rank() == 0) {
                    w.send(pattern(10, 1), other, 1);
                    w.receive(10, other, 1);
                } else if (w.rank() == other) {
                    w.receive(10, 0, 1);
                    w.send(pattern(10, 1), 0, 1);
                }
            };
            for (const int other : {1, 2, 3, 1, 4, 3})
                talk(other);
            const Counters& counters = w.process.counters();
            if (w.rank() == 0) {
                expect(counters.closed == 1, "not one was closed");
                expect(counters.connections == 4, "one that was used came back");
            }
            talk(2);
            if (w.rank() == 0) expect(counters.connections == 5, "another one was closed");
        },
        at_most(3));
}

TEST_P(Bounded, MemoryDoesNotGrowWithPeers) {
    const auto held = [&](int ranks) {
        std::uint64_t most = 0;
        run(
            ranks,
            [&](World& w) {
                for (int other = 1; other < ranks; ++other) {
                    if (w.rank() == 0) {
                        w.send(pattern(100, 1), other, 1);
                        w.receive(100, other, 1);
                    } else if (w.rank() == other) {
                        w.receive(100, 0, 1);
                        w.send(pattern(100, 1), 0, 1);
                    }
                }
                if (w.rank() == 0) most = w.process.counters().pinned_most;
            },
            at_most(3));
        return most;
    };
    EXPECT_EQ(held(8), held(12));  // more than three on each of two fabrics
}

// The settings of ranks may differ: whoever has no bound of its own still answers.
TEST(BoundedOne, IsAnsweredByThoseWithoutABound) {
    job::Options options;
    options.fabric = "infiniband-pcix";
    options.ranks = 8;
    std::uint64_t closed = 0;
    const job::Result result = job::run(options, [&](job::Rank& rank) {
        run_rank(
            rank,
            [&](World& w) {
                for (int round = 0; round < 3; ++round)
                    for (int other = 1; other < 8; ++other) {
                        if (w.rank() == 0) w.send(pattern(500, 1), other, 1);
                        if (w.rank() == other)
                            expect(w.receive(500, 0, 1) == pattern(500, 1), "wrong bytes");
                    }
                if (w.rank() == 0) closed = w.process.counters().closed;
            },
            at_most(rank.id() == 0 ? 2 : 0));
    });
    EXPECT_TRUE(result.ok) << result.failure;
    EXPECT_GT(closed, 10U);
}

INSTANTIATE_TEST_SUITE_P(On, Bounded,
                         testing::Values("shm", "iwarp", "shm+iwarp", "ideal", "infiniband-pcie",
                                         "myrinet2000-gm", "clan-via"),
                         [](const auto& instance) { return test_name(instance.param); });

}  // namespace
}  // namespace railyard::mpi
