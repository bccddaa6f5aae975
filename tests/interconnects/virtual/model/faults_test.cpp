// Faults of every kind on every family of interconnects: nothing lost, nothing twice, all in order
// (FA-8), and who cannot be reached is known.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <ostream>
#include <tuple>

#include "interconnects/virtual/model/struck.hpp"

namespace railyard::model {
namespace {

using namespace testing;

std::string fault(const std::string& lines) {
    return "[[fault]]\n" + lines + "\n";
}

struct Case {
    const char* profile;
    const char* kind;
    std::string script;
    friend std::ostream& operator<<(std::ostream& out, const Case& one) {
        return out << one.kind << " on " << one.profile;
    }
};

/// A dead switch is on the way from a to b; only a tree has another one.
std::vector<Case> cases() {
    std::vector<Case> all;
    for (const char* profile : {"quadrics", "infiniband-pcix", "myrinet2000-gm", "mx10g-myrinet",
                                "neteffect-iwarp", "clan-via"}) {
        const bool tree = std::string(profile) == "quadrics";
        all.push_back({profile, "bit_errors",
                       fault("what = 'bit-errors'\nwhere = 'all links'\nrate = 2e-6")});
        all.push_back({profile, "link",
                       fault("what = 'link'\nwhere = 'node 5, link 0'\nat = '10300 us'\n"
                             "for = '400 us'")});
        all.push_back({profile, "one_way",
                       fault("what = 'link'\nwhere = 'node 5, link 0 out'\nat = '10300 us'\n"
                             "for = '400 us'")});
        all.push_back(
            {profile, "network_switch",
             tree ? fault("what = 'switch'\nwhere = 'switch 1 of level 2'\nat = '10300 us'")
                  : fault("what = 'switch'\nwhere = 'switch 0'\nat = '10300 us'\n"
                          "for = '200 us'")});
        all.push_back({profile, "flapping_link",
                       fault("what = 'flapping-link'\nwhere = 'node 0, link 0'\nat = '10300 us'\n"
                             "down = '50 us'\nup = '270 us'\nfor = '50 ms'")});
        all.push_back({profile, "adapter_reset",
                       fault("what = 'adapter-reset'\nwhere = 'node 5'\nat = '10400 us'\n"
                             "for = '600 us'")});
    }
    return all;
}

class Faults : public ::testing::TestWithParam<Case> {};

TEST_P(Faults, EveryMessageArrivesOnceInOrderAndWhole) {
    Struck struck(GetParam().profile, GetParam().script);
    stream(struck, 400);
    const fabric::FaultReport& report = struck.report();
    EXPECT_EQ(report.struck(), 1U);
    EXPECT_GT(report.lost + report.acknowledgments, 0U);
    EXPECT_GT(report.retransmitted, 0U);
    EXPECT_EQ(report.unreachable, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, Faults, ::testing::ValuesIn(cases()), [](const auto& each) {
    std::string name = std::string(each.param.profile) + "_" + each.param.kind;
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
});

// FA-5 to FA-7: the source is told at once, tries again some times, then takes another way.
TEST(FaultsOnQuadrics, TrafficFlowsAroundADeadSwitch) {
    Struck struck("quadrics", fault("what = 'switch'\nwhere = 'switch 1 of level 2'"));
    Struck whole("quadrics");
    stream(struck, 50);
    stream(whole, 50);
    EXPECT_GE(struck.report().rerouted, 1U);
    EXPECT_EQ(struck.report().timeouts, 0U) << "hops tell of a loss: nobody has to wait";
    EXPECT_LT(struck.ended() - whole.ended(), 1_ms);
}

TEST(FaultsOnQuadrics, ABitErrorIsTriedAgainOnTheSameWay) {
    Struck struck("quadrics", fault("what = 'bit-errors'\nwhere = 'all links'\nrate = 1e-6"));
    stream(struck, 200);
    EXPECT_GT(struck.report().lost, 0U);
    EXPECT_EQ(struck.report().rerouted, 0U);
    EXPECT_EQ(struck.report().timeouts, 0U);
}

/// The end of a burst has nothing behind it that would show the gap: the time has to pass.
TEST(FaultsAtTheEnds, ALostLastPacketCostsATimeOut) {
    Struck struck(
        "infiniband-pcix",
        fault("what = 'link'\nwhere = 'node 5, link 0 in'\nat = '10300 us'\nfor = '1 ms'"));
    stream(struck, 400);
    EXPECT_GE(struck.report().timeouts, 1U);
    EXPECT_GT(struck.ended() - start, struck.parameters().reliability.timeout);
}

TEST(FaultsAtTheEnds, LostAcknowledgmentsMakeDuplicatesThatAreDropped) {
    Struck struck("infiniband-pcix", fault("what = 'link'\nwhere = 'node 5, link 0 out'\n"
                                           "at = '10300 us'\nfor = '1 ms'"));
    stream(struck, 400);
    EXPECT_EQ(struck.report().lost, 0U);
    EXPECT_GT(struck.report().acknowledgments, 0U);
    EXPECT_GT(struck.report().duplicates, 0U);
}

TEST(FaultsAnywhere, AtomicsAndReadsAreDoneOnce) {
    for (const char* profile : {"quadrics", "infiniband-pcix", "neteffect-iwarp"}) {
        Struck struck(profile, fault("what = 'bit-errors'\nwhere = 'all links'\nrate = 2e-5"));
        constexpr unsigned rounds = 200;
        struck.run(
            [&](Rank& a, Rank& b) {
                const auto remote = a.nic->import_region(b.memory->export_blob());
                b.fill(4096, 3000, 5);
                for (unsigned i = 0; i < rounds; ++i) {
                    const Slice old = a.slice(0, 8);
                    auto add = ideal::testing::rdma(Op::fetch_add, i, old, *remote, 0);
                    add.operand = 1;
                    ASSERT_TRUE(a.pair->post(add).ok());
                    const Slice copy = a.slice(4096, 3000);
                    ASSERT_TRUE(
                        a.pair->post(ideal::testing::rdma(Op::rdma_read, i, copy, *remote, 4096))
                            .ok());
                    ASSERT_TRUE(next(a, *a.sent).status.ok());
                    ASSERT_TRUE(next(a, *a.sent).status.ok());
                    std::uint64_t before = 0;
                    std::memcpy(&before, a.memory->data(), sizeof before);
                    ASSERT_EQ(before, i) << profile;
                    ASSERT_TRUE(a.holds(4096, 3000, 5)) << profile;
                }
            },
            [](Rank&, Rank&) {});
        EXPECT_GT(struck.report().retransmitted, 0U) << profile;
    }
}

class Unreachable : public ::testing::TestWithParam<const char*> {};

TEST_P(Unreachable, APeerIsGivenUpAndAllRequestsComplete) {
    Struck struck(GetParam(), fault("what = 'link'\nwhere = 'node 5, link 0'\nat = '10300 us'"));
    constexpr unsigned requests = 5;
    struck.run(
        [&](Rank& a, Rank&) {
            a.host.wait_until([] { return false; }, Time::at(11_ms));
            const Slice slice = a.slice(0, 3000);
            for (unsigned i = 0; i < requests; ++i)
                ASSERT_TRUE(a.pair->post(ideal::testing::send(i, slice)).ok());
            for (unsigned i = 0; i < requests; ++i) {
                const Done completion = next(a, *a.sent);
                EXPECT_EQ(completion.id, i);
                EXPECT_EQ(completion.status, i == 0 ? Code::timed_out : Code::flushed);
            }
            EXPECT_EQ(a.pair->state(), fabric::ConnectionState::failed);
            EXPECT_EQ(a.pair->reason(), Code::timed_out);
        },
        [](Rank&, Rank&) {});
    EXPECT_GE(struck.report().unreachable, 1U);
}

INSTANTIATE_TEST_SUITE_P(All, Unreachable,
                         ::testing::Values("quadrics", "infiniband-pcix", "myrinet2000-gm",
                                           "neteffect-iwarp", "clan-via"),
                         [](const auto& each) {
                             std::string name = each.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST(UnreachableForAWhile, ANewConnectionFindsTheMendedWay) {
    for (const char* profile : {"infiniband-pcix", "quadrics"}) {
        Struck struck(profile, fault("what = 'link'\nwhere = 'node 5'\nat = '10300 us'\n"
                                     "for = '5 s'"));
        struck.run(
            [&](Rank& a, Rank& b) {
                a.host.wait_until([] { return false; }, Time::at(11_ms));
                const Slice slice = a.slice(0, 3000);
                ASSERT_TRUE(a.pair->post(ideal::testing::send(1, slice)).ok());
                EXPECT_EQ(next(a, *a.sent).status, Code::timed_out) << profile;
                a.host.wait_until([] { return false; }, Time::at(10_s));
                std::unique_ptr<fabric::ReceiveQueue> unused, receives;
                const auto ours = a.another(unused);
                const auto theirs = b.another(receives);
                ASSERT_TRUE(ours->connect_peer(b.nic->address(), 2, {}, Time::never()).ok());
                ASSERT_TRUE(theirs->connect_peer(a.nic->address(), 2, {}, Time::never()).ok());
                const Slice room = b.slice(0, 4096);
                ASSERT_TRUE(receives->post(fabric::ReceiveRequest{3, {&room, 1}}).ok());
                a.host.wait_until(
                    [&] { return ours->state() == fabric::ConnectionState::connected; });
                a.fill(0, 3000, 9);
                ASSERT_TRUE(ours->post(ideal::testing::send(2, slice)).ok());
                EXPECT_TRUE(next(a, *a.sent).status.ok()) << profile;
                EXPECT_TRUE(b.holds(0, 3000, 9)) << profile;
            },
            [](Rank&, Rank&) {});
    }
}

TEST(UnreachableByTag, TheSenderIsTold) {
    Struck struck("mx10g-myrinet",
                  fault("what = 'link'\nwhere = 'node 5, link 0'\nat = '10300 us'"));
    struck.run(
        [&](Rank& a, Rank& b) {
            a.host.wait_until([] { return false; }, Time::at(11_ms));
            fabric::TaggedPort& port = *a.nic->tagged_port();
            const fabric::TaggedPeer peer = port.peer(b.nic->address());
            for (const std::uint64_t size : {8U, 200'000U}) {
                fabric::TaggedSend send;
                send.id = size;
                send.to = peer;
                send.data = {a.memory->data(), size};
                ASSERT_TRUE(port.send(send).ok());
                fabric::TaggedCompletion completion;
                a.host.wait_until([&] { return port.poll({&completion, 1}) == 1; });
                EXPECT_EQ(completion.id, size);
                EXPECT_EQ(completion.status, Code::timed_out);
            }
        },
        [](Rank&, Rank&) {});
}

TEST(FaultsAnywhere, TheSameScriptGivesTheSameRun) {
    const auto run = [](unsigned seed) {
        Struck struck("infiniband-pcix",
                      fmt::format("seed = {}\n", seed) +
                          fault("what = 'bit-errors'\nwhere = 'all links'\nrate = 1e-6"));
        stream(struck, 300);
        return std::tuple(struck.ended(), struck.report().lost, struck.report().retransmitted,
                          struck.engine().events_run());
    };
    EXPECT_EQ(run(1), run(1));
    EXPECT_NE(run(1), run(2));
}

/// The watching itself costs no virtual time.
TEST(FaultsAnywhere, AScriptWithoutFaultsChangesNothing) {
    for (const char* profile : {"quadrics", "infiniband-pcix", "neteffect-iwarp"}) {
        Struck watched(profile, "seed = 7\n");
        Struck plain(profile);
        stream(watched, 100);
        stream(plain, 100);
        EXPECT_EQ(watched.ended(), plain.ended()) << profile;
        EXPECT_EQ(watched.report().retransmitted, 0U);
    }
}

}  // namespace
}  // namespace railyard::model
