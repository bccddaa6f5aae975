// What holds for ranks of every kind.
#include "launch/job/job.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rank_local.hpp"
#include "helpers.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

class EveryKind : public ::testing::TestWithParam<Kind> {
  protected:
    Options options(int ranks) const { return testing::options(GetParam(), ranks); }
};

std::string kind_name(const ::testing::TestParamInfo<Kind>& info) {
    switch (info.param) {
        case Kind::processes:
            return "processes";
        case Kind::threads:
            return "threads";
        case Kind::fibers:
            return "fibers";
    }
    return "?";
}

INSTANTIATE_TEST_SUITE_P(Job, EveryKind,
                         ::testing::Values(Kind::processes, Kind::threads, Kind::fibers),
                         kind_name);

TEST_P(EveryKind, RanksKnowWhoTheyAre) {
    const Result result = run(options(3), [](Rank& rank) {
        rank.deliver(fmt::format("{} of {}", rank.id(), rank.size()));
    });
    EXPECT_TRUE(result.ok) << result.failure;
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(sorted(result.delivered), (std::multiset<std::string>{"0 of 3", "1 of 3", "2 of 3"}));
}

TEST_P(EveryKind, NodesComeFromTheLauncher) {
    Options chosen = options(3);
    chosen.nodes = {7, 7, 9};
    const Result result = run(chosen, [](Rank& rank) {
        rank.deliver(fmt::format("{}: {} {} {}, me {}", rank.id(), rank.node_of(0), rank.node_of(1),
                                 rank.node_of(2), rank.node()));
    });
    EXPECT_TRUE(result.ok) << result.failure;
    EXPECT_EQ(sorted(result.delivered),
              (std::multiset<std::string>{"0: 7 7 9, me 7", "1: 7 7 9, me 7", "2: 7 7 9, me 9"}));
}

TEST_P(EveryKind, NodesByDefault) {
    const Result result = run(options(2), [](Rank& rank) {
        if (rank.id() == 0) rank.deliver(fmt::format("{} {}", rank.node_of(0), rank.node_of(1)));
    });
    EXPECT_THAT(result.delivered,
                ::testing::ElementsAre(GetParam() == Kind::fibers ? "0 1" : "0 0"));
}

TEST_P(EveryKind, AllRanksExchangeWithAll) {
    for (const int ranks : {1, 2, 64}) {
        const Result result = run(options(ranks), [](Rank& rank) {
            // Gets come before puts for some and after for others.
            const auto mine = fmt::format("value of {}", rank.id());
            if (rank.id() % 2 == 0) rank.bootstrap().put("name", bytes(mine));
            for (int peer = 0; peer < rank.size(); peer += 2)
                if (text(rank.bootstrap().get(peer, "name")) != fmt::format("value of {}", peer))
                    throw Error("wrong value");
            if (rank.id() % 2 == 1) rank.bootstrap().put("name", bytes(mine));
            for (int peer = 1; peer < rank.size(); peer += 2)
                if (text(rank.bootstrap().get(peer, "name")) != fmt::format("value of {}", peer))
                    throw Error("wrong value");
            rank.deliver("done");
        });
        EXPECT_TRUE(result.ok) << result.failure;
        EXPECT_EQ(result.delivered.size(), static_cast<std::size_t>(ranks));
    }
}

TEST_P(EveryKind, ManyKeysAndEmptyOnes) {
    const Result result = run(options(2), [](Rank& rank) {
        Bootstrap& bootstrap = rank.bootstrap();
        for (int i = 0; i < 100; ++i)
            bootstrap.put(fmt::format("key {}", i),
                          bytes(std::string(static_cast<size_t>(i), 'x')));
        bootstrap.put("", {});
        const int peer = 1 - rank.id();
        for (int i = 99; i >= 0; --i)
            if (bootstrap.get(peer, fmt::format("key {}", i)).size() != static_cast<size_t>(i))
                throw Error("wrong size");
        if (!bootstrap.get(peer, "").empty()) throw Error("not empty");
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST_P(EveryKind, NobodyLeavesAFenceBeforeAllAreIn) {
    for (const int ranks : {1, 2, 16}) {
        SharedCounter entered;
        const Result result = run(options(ranks), [&](Rank& rank) {
            for (int round = 1; round <= 50; ++round) {
                entered->fetch_add(1);
                rank.bootstrap().fence();
                if (entered->load() < round * rank.size()) throw Error("left too early");
            }
        });
        EXPECT_TRUE(result.ok) << result.failure;
        EXPECT_EQ(entered->load(), 50 * ranks);
    }
}

TEST_P(EveryKind, DeliversALotFromSeveral) {
    constexpr std::size_t size = 10'000'000;
    const Result result = run(options(4), [](Rank& rank) {
        const char letter = static_cast<char>('a' + rank.id());
        rank.deliver(std::string(1, letter));
        rank.deliver("");
        rank.deliver(std::string(size, letter));
    });
    ASSERT_TRUE(result.ok) << result.failure;
    ASSERT_EQ(result.delivered.size(), 12u);
    for (const char letter : {'a', 'b', 'c', 'd'}) {
        // Of one rank, in its order.
        std::vector<std::size_t> sizes;
        for (const std::string& each : result.delivered)
            if (!each.empty() && each == std::string(each.size(), letter))
                sizes.push_back(each.size());
        EXPECT_THAT(sizes, ::testing::ElementsAre(1, size)) << letter;
    }
}

TEST_P(EveryKind, AnExceptionNamesItsRank) {
    const Result result = run(options(4), [](Rank& rank) {
        rank.deliver("before");
        rank.bootstrap().fence();
        if (rank.id() == 2) throw std::runtime_error("the dog ate it");
        rank.bootstrap().get(2, "never");
    });
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.failure, AllOf(HasSubstr("rank 2"), HasSubstr("the dog ate it")));
    EXPECT_EQ(result.delivered.size(), 4u);
}

TEST_P(EveryKind, AnExceptionEndsThoseInAFence) {
    const Result result = run(options(4), [](Rank& rank) {
        if (rank.id() == 1) throw std::runtime_error("no fence for me");
        rank.bootstrap().fence();
    });
    EXPECT_THAT(result.failure, AllOf(HasSubstr("rank 1"), HasSubstr("no fence for me")));
}

TEST_P(EveryKind, ExceptionsOfAnyType) {
    const Result usage = run(options(2), [](Rank& rank) {
        if (rank.id() == 0) throw UsageError("say it otherwise");
    });
    EXPECT_EQ(usage.exit_code, 2);
    EXPECT_THAT(usage.failure, HasSubstr("say it otherwise"));

    const Result odd = run(options(2), [](Rank& rank) {
        if (rank.id() == 0) throw 42;
    });
    EXPECT_EQ(odd.exit_code, 1);
    EXPECT_THAT(odd.failure, HasSubstr("unknown type"));
}

TEST_P(EveryKind, NobodyWaitsForARankThatHasEnded) {
    const Result no_value = run(options(3), [](Rank& rank) {
        if (rank.id() == 0) rank.bootstrap().get(1, "never put");
    });
    EXPECT_THAT(no_value.failure,
                AllOf(HasSubstr("rank 0"), HasSubstr("rank 1 ended without putting 'never put'")));

    const Result no_fence = run(options(2), [](Rank& rank) {
        rank.bootstrap().fence();
        if (rank.id() == 1) rank.bootstrap().fence();
    });
    EXPECT_THAT(no_fence.failure, AllOf(HasSubstr("rank 1"), HasSubstr("rank 0 ended outside")));
}

TEST_P(EveryKind, MisuseOfTheExchange) {
    const auto failure = [&](const Body& body) { return run(options(1), body).failure; };
    EXPECT_THAT(failure([](Rank& rank) {
                    rank.bootstrap().put("twice", {});
                    rank.bootstrap().put("twice", {});
                }),
                HasSubstr("rank 0 puts 'twice' twice"));
    EXPECT_THAT(failure([](Rank& rank) { rank.bootstrap().get(1, "x"); }),
                HasSubstr("no rank 1 in a job of 1"));
    EXPECT_THAT(failure([](Rank& rank) { rank.bootstrap().get(-1, "x"); }),
                HasSubstr("no rank -1"));
    EXPECT_THAT(failure([](Rank& rank) {
                    rank.bootstrap().put("half", bytes(std::string(40 << 10, 'x')));
                    rank.bootstrap().put("too much", bytes(std::string(40 << 10, 'x')));
                }),
                AllOf(HasSubstr("'too much'"), HasSubstr("over the fabric")));
}

TEST_P(EveryKind, FabricsOfTheOtherClockAreRefused) {
    const bool is_virtual = GetParam() == Kind::fibers;
    const Result result =
        run(options(1), [&](Rank& rank) { rank.open(is_virtual ? "shm" : "ideal"); });
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.failure, HasSubstr("cannot meet"));

    const Result unknown = run(options(1), [](Rank& rank) { rank.open("idael"); });
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.failure, HasSubstr("did you mean 'ideal'"));
}

TEST_P(EveryKind, TimePasses) {
    const Result result = run(options(2), [](Rank& rank) {
        const Time before = rank.host().now();
        rank.host().compute(Duration::us(100));
        if (rank.host().now() - before < Duration::us(100)) throw Error("time stands still");
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST_P(EveryKind, EachRankOpensNicsOnItsHost) {
    const Result result = run(options(3), [](Rank& rank) {
        fabric::Nic& nic = rank.nic();
        if (&nic != &rank.nic()) throw Error("opened twice");
        if (&nic.host() != &rank.host()) throw Error("on another host");
        const auto another = rank.open(nic.traits().name);
        if (&another->host() != &rank.host()) throw Error("on another host");
        if (another->address() == nic.address()) throw Error("two Nics with one address");
        rank.bootstrap().put("address", nic.address().bytes);
        for (int peer = 0; peer < rank.size(); ++peer) {
            const auto theirs = rank.bootstrap().get(peer, "address");
            const bool same = std::ranges::equal(theirs, nic.address().bytes);
            if (same != (peer == rank.id())) throw Error("two ranks with one address");
        }
        rank.bootstrap().fence();
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST(Job, KindFollowsTheFabric) {
    SharedCounter count;
    const auto body = [&](Rank&) { count->fetch_add(1); };
    Options chosen;
    chosen.fabric = "ideal";
    EXPECT_TRUE(run(chosen, body).ok);
    chosen.fabric = "shm";
    EXPECT_TRUE(run(chosen, body).ok);
    EXPECT_EQ(count->load(), 4);
}

TEST(Job, TellsWhatFabricsThereAre) {
    std::vector<std::string> names;
    for (const fabric::Traits& traits : fabrics())
        names.push_back(traits.name);
    EXPECT_THAT(names, ::testing::IsSupersetOf({"shm", "ideal", "quadrics"}));
    ASSERT_NE(find_fabric("ideal"), nullptr);
    EXPECT_EQ(find_fabric("ideal")->clock, fabric::Clock::virtual_time);
    EXPECT_EQ(find_fabric("token-ring"), nullptr);
    EXPECT_THROW(find_fabric("./token-ring.toml"), UsageError);
}

TEST(Job, TellsWhatAModelIsMadeOf) {
    EXPECT_FALSE(datasheet("shm").has_value());
    ASSERT_TRUE(datasheet("quadrics").has_value());
    EXPECT_THROW(datasheet("token-ring"), UsageError);
    EXPECT_TRUE(cited_records("shm").empty());
    EXPECT_EQ(cited_records("quadrics"), datasheet("quadrics")->cited_records);
}

TEST_P(EveryKind, CodeWithoutArgumentsFindsItsRank) {
    const Result result = run(options(4), [](Rank& rank) {
        const auto found = [] { return static_cast<Rank*>(rank_local::here->rank); };
        if (found() != &rank) throw Error("it is another's");
        rank.bootstrap().fence();
        if (found() != &rank) throw Error("it is another's after waiting");
        rank.deliver("found");
    });
    EXPECT_TRUE(result.ok) << result.failure;
    EXPECT_EQ(result.delivered.size(), 4u);
    EXPECT_EQ(rank_local::here->rank, nullptr);
}

TEST_P(EveryKind, AbortEndsTheJob) {
    const Result result = run(options(3), [](Rank& rank) {
        if (rank.id() == 1) rank.abort(42, "it had enough");
        rank.bootstrap().get(rank.id(), "never put");
    });
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.exit_code, 42);
    EXPECT_THAT(result.failure, AllOf(HasSubstr("rank 1"), HasSubstr(": it had enough")));
}

}  // namespace
}  // namespace railyard::job
