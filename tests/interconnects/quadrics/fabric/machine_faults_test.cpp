// Faults of every kind on the machine: nothing is lost, nothing comes twice, and the report says
// what happened.

#include "interconnects/quadrics/fabric/machine_faults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interconnects/quadrics/elan3/cluster.hpp"

namespace railyard::quadrics {
namespace {

using namespace railyard::literals;
using elan3::Address;
using elan3::Event;
using elan3::Home;
using elan3::Process;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr elan::Vpid sender = 0;
constexpr elan::Vpid receiver = 15;
constexpr std::uint32_t size = 1500;

/// Sixteen nodes that a script strikes, and puts from the first to the last.
class Struck {
  public:
    explicit Struck(const std::string& script) : cluster(16) {
        const faults::Layout layout{.levels = 2, .ports = 1, .nodes = 16};
        faults.emplace(cluster.machine, faults::parse_script(script, "script", layout), layout,
                       report);
        faults->tell_when_given_up([this](fabric::NodeId from, fabric::NodeId to) {
            EXPECT_EQ(cluster.engine.current(), nullptr) << "told in an event";
            given_up.emplace_back(from, to);
        });
    }

    /// The sender's ways are those of the destination's digits, and of no other.
    void fix_ways() {
        elan::Context& context = cluster.machine.context(*cluster.job, sender);
        context.tables.clear();
        context.tables.emplace_back(cluster.machine.network().tree(), sender,
                                    elite::Routing::fixed);
    }

    /// So many puts from 50 us on, of which `window` are under way at a time.
    void put(int messages, int window = 1) {
        cluster.run([&](Process& process) {
            if (process.self() != sender && process.self() != receiver) return;
            const Address buffer = process.allocate(Home::main, size);
            process.store(buffer, std::vector<std::byte>(size));
            const Event event = process.make_event();
            (process.self() == sender ? source_ : target_) = buffer;
            if (process.self() == receiver) arrived_ = event.address;
            process.engine().sleep_until(Time::at(50_us));
            if (process.self() == sender)
                send(process, messages, window);
            else
                receive(process, event, messages);
        });
    }

    elan3::Cluster cluster;
    std::shared_ptr<fabric::FaultReport> report = std::make_shared<fabric::FaultReport>();
    std::optional<MachineFaults> faults;
    std::vector<std::pair<fabric::NodeId, fabric::NodeId>> given_up;
    Status outcome;
    int received = 0;
    std::uint64_t fired = 0;

    void expect_all(int messages) const {
        EXPECT_TRUE(outcome.ok()) << outcome.name();
        EXPECT_EQ(received, messages);
        EXPECT_EQ(fired, static_cast<std::uint64_t>(messages)) << "an event fired twice";
        EXPECT_THAT(given_up, IsEmpty());
        EXPECT_EQ(report->unreachable, 0U);
        EXPECT_EQ(report->retransmitted, report->lost + report->acknowledgments);
        std::uint64_t taken = 0;
        for (const auto& fault : report->faults)
            taken += fault.packets;
        EXPECT_EQ(taken, report->lost + report->acknowledgments) << "who took the others?";
    }

  private:
    void send(Process& process, int messages, int window) {
        std::vector<Event> events;
        for (int i = 0; i < window; ++i)
            events.push_back(process.make_event());
        const auto event = [&](int i) { return events[static_cast<std::size_t>(i % window)]; };
        int heard = 0;
        const auto hear = [&] {
            if (const Status status = process.wait(event(heard)); !status.ok()) outcome = status;
            process.prime(event(heard++));
        };
        int sent = 0;
        for (; sent < messages; ++sent) {
            if (sent >= window) hear();
            if (!outcome.ok()) break;
            process.store(source_, elan3::pattern(size, static_cast<unsigned>(sent)));
            process.put(receiver, source_, target_, size, {event(sent).address, arrived_});
        }
        while (heard < sent)
            hear();
    }

    void receive(Process& process, const Event& event, int messages) {
        while (received < messages && process.now() < Time::at(15_ms)) {
            if (process.poll(event)) {
                process.prime(event);
                ++received;
            }
            process.spend(100_ns);
        }
        process.engine().sleep_until(process.now() + 100_us);
        fired = process.context().events.at(arrived_).fired;
    }

    Address source_ = 0;
    Address target_ = 0;
    Address arrived_ = 0;
};

std::string fault(const std::string& what, const std::string& where, const std::string& more = "") {
    return "[[fault]]\nwhat = \"" + what + "\"\nwhere = \"" + where + "\"\n" + more;
}

TEST(MachineFaults, AScriptThatStrikesNothingChangesNothing) {
    Struck calm("");
    calm.put(10);
    calm.expect_all(10);
    Struck late(fault("link", "all links", "at = \"10 s\"\n"));
    late.put(10);
    late.expect_all(10);
    EXPECT_EQ(late.cluster.engine.now(), calm.cluster.engine.now()) << "nobody waits for it";
    EXPECT_EQ(late.report->struck(), 0U);
    EXPECT_EQ(late.report->faults.at(0).what, "link, all links, from 10 s on");
}

// As a fabric does, whose packets may still be under way when it is closed.
TEST(MachineFaults, TheEngineCanKeepThemAndTheMachine) {
    const faults::Layout layout{.levels = 2, .ports = 1, .nodes = 16};
    sim::Engine engine;
    const auto machine = std::make_shared<elan::Machine>(engine, elan::Parameters());
    engine.keep(machine);
    const faults::Script script =
        faults::parse_script(fault("link", "node 1", "at = \"1 ms\"\n"), "script", layout);
    engine.keep(std::make_shared<MachineFaults>(*machine, script, layout,
                                                std::make_shared<fabric::FaultReport>()));
    const auto job = machine->add_job({0, 1});
    engine.spawn("process 0", [&] {
        Process process(*machine, job, 0);
        process.put(1, process.allocate(Home::main, 64), 0x1000, 64, {});
        process.engine().sleep_until(Time::at(1_us));
        throw Error("it ends with a packet under way");
    });
    EXPECT_THROW(engine.run(), sim::FiberError);
}

TEST(MachineFaults, BitErrorsAreMadeGood) {
    Struck struck(fault("bit-errors", "all links", "rate = 1e-5\n"));
    struck.put(60);
    struck.expect_all(60);
    EXPECT_GT(struck.report->lost, 3U);
    EXPECT_EQ(struck.report->struck(), 1U);
    EXPECT_EQ(struck.cluster.machine.network().counters().failed, struck.report->retransmitted);
}

TEST(MachineFaults, BitErrorsHaveTheScriptsSeed) {
    const auto lost = [](const std::string& seed) {
        Struck struck(seed + fault("bit-errors", "all links", "rate = 2e-5\n"));
        struck.put(60);
        struck.expect_all(60);
        return std::pair(struck.report->lost, struck.cluster.engine.now());
    };
    EXPECT_EQ(lost("seed = 7\n"), lost("seed = 7\n"));
    EXPECT_NE(lost("seed = 7\n"), lost("seed = 8\n"));
    EXPECT_EQ(lost(""), lost("seed = 1\n"));
}

TEST(MachineFaults, BitErrorsCanBeOfOneWay) {
    Struck away(fault("bit-errors", "node 15, link 0 out", "rate = 1e-3\n"));
    away.put(20);
    away.expect_all(20);
    EXPECT_EQ(away.report->lost, 0U) << "data come in";
    Struck back(fault("bit-errors", "node 15, link 0 in", "rate = 1e-4\n"));
    back.put(20);
    back.expect_all(20);
    EXPECT_GT(back.report->lost, 0U);
}

TEST(MachineFaults, BitErrorsLastAsLongAsTheScriptSays) {
    Struck struck(fault("bit-errors", "node 15", "rate = 1\nat = \"100 us\"\nfor = \"6 us\"\n") +
                  fault("bit-errors", "node 0, link 0 out", "rate = 1e-9\nat = \"5 ms\"\n"));
    struck.put(30);
    struck.expect_all(30);
    EXPECT_GT(struck.report->faults.at(0).packets, 0U);
    EXPECT_LT(struck.report->faults.at(0).packets, 10U);
    EXPECT_EQ(struck.report->faults.at(1).packets, 0U);
}

TEST(MachineFaults, ALinkThatIsMendedIsFoundAgain) {
    Struck struck(fault("link", "node 15", "at = \"100 us\"\nfor = \"20 us\"\n"));
    struck.put(30);
    struck.expect_all(30);
    EXPECT_GT(struck.report->lost + struck.report->acknowledgments, 3U);
    EXPECT_EQ(struck.report->rerouted, 0U) << "there is no other way";
}

TEST(MachineFaults, ALinkThatIsDeadOneWayIsDead) {
    for (const std::string way : {" out", " in"}) {
        Struck struck(fault("link", "node 15, link 0" + way, "at = \"100 us\"\nfor = \"20 us\"\n"));
        struck.put(30);
        struck.expect_all(30);
        EXPECT_GT(struck.report->lost, 0U) << way;
    }
}

TEST(MachineFaults, WhoCannotBeReachedIsGivenUpOnceForAllPacketsUnderWay) {
    Struck struck(fault("link", "node 15, link 0", "at = \"100 us\"\n"));
    struck.put(40);
    EXPECT_EQ(struck.outcome, Code::timed_out);
    EXPECT_LT(struck.received, 40);
    EXPECT_THAT(struck.given_up, ElementsAre(Pair(0, 15)));
    EXPECT_EQ(struck.report->unreachable, 1U);
    EXPECT_EQ(struck.report->rerouted, 0U);
    EXPECT_GT(struck.report->retransmitted, 3U);
    EXPECT_LT(struck.report->retransmitted, struck.report->lost + struck.report->acknowledgments);
}

TEST(MachineFaults, EveryDmaThatIsLostIsTold) {
    Struck struck(fault("link", "node 15, link 0", "at = \"100 us\"\n"));
    struck.put(40, 4);
    EXPECT_EQ(struck.outcome, Code::timed_out);
    EXPECT_THAT(struck.given_up, ::testing::SizeIs(4));
    EXPECT_THAT(struck.given_up, ::testing::Each(Pair(0, 15)));
}

TEST(MachineFaults, WhatIsSentAfterThatIsGivenUpAnew) {
    Struck struck(fault("link", "node 15, link 0"));
    struck.cluster.run([&](Process& process) {
        if (process.self() != sender) return;
        const Event done = process.make_event();
        for (int i = 0; i < 3; ++i) {
            process.put(receiver, process.allocate(Home::main, 64), 0x1000, 64, {done.address, 0});
            EXPECT_EQ(process.wait(done), Code::timed_out);
            process.prime(done);
        }
    });
    EXPECT_EQ(struck.given_up.size(), 3U);
    EXPECT_EQ(struck.report->unreachable, 3U);
}

TEST(MachineFaults, ASwitchThatDiesIsAvoided) {
    Struck struck(fault("switch", "switch 3 of level 2", "at = \"100 us\"\n"));
    struck.fix_ways();
    struck.put(20);
    struck.expect_all(20);
    EXPECT_GE(struck.report->faults.at(0).packets, 4U) << "three retries";
    EXPECT_EQ(struck.report->rerouted, 1U);
    Struck other(fault("switch", "switch 2 of level 2", "at = \"100 us\"\n"));
    other.fix_ways();
    other.put(20);
    other.expect_all(20);
    EXPECT_EQ(other.report->struck(), 0U) << "it is on nobody's way";
}

TEST(MachineFaults, ACableBetweenSwitchesIsThatOfItsName) {
    // From switch 0 of level 1 up by the last digit of 15, and down to switch 3 of level 1.
    for (const auto& [place, on_the_way] :
         std::map<std::string, bool>{{"switches, link 3 of level 1", true},
                                     {"switches, link 15 of level 1, down", true},
                                     {"switches, link 2 of level 1", false},
                                     {"switches, link 14 of level 1", false}}) {
        Struck struck(fault("link", place, "at = \"100 us\"\n"));
        struck.fix_ways();
        struck.put(20);
        struck.expect_all(20);
        EXPECT_EQ(struck.report->struck(), on_the_way ? 1U : 0U) << place;
        EXPECT_EQ(struck.report->rerouted, on_the_way ? 1U : 0U) << place;
    }
}

TEST(MachineFaults, ALinkThatComesAndGoesForEverKeepsNoRunFromItsEnd) {
    Struck struck(fault("flapping-link", "node 15, link 0",
                        "at = \"60 us\"\ndown = \"5 us\"\nup = \"40 us\"\n"));
    struck.put(100);
    struck.expect_all(100);
    EXPECT_GT(struck.report->lost + struck.report->acknowledgments, 10U);
    EXPECT_LT(struck.cluster.engine.now(), Time::at(15_ms));
}

TEST(MachineFaults, ALinkThatComesAndGoesHidesNoDeadlock) {
    Struck struck(fault("flapping-link", "node 15, link 0", "down = \"5 us\"\nup = \"40 us\"\n"));
    EXPECT_THROW(struck.cluster.run([](Process& process) {
        const Event never = process.make_event();
        EXPECT_FALSE(process.wait(never).ok());
    }),
                 sim::Deadlock);
}

TEST(MachineFaults, AnAdapterThatResetsComesBack) {
    Struck struck(fault("adapter-reset", "node 15", "at = \"100 us\"\nfor = \"25 us\"\n"));
    struck.put(30);
    struck.expect_all(30);
    EXPECT_GT(struck.report->faults.at(0).packets, 3U);
}

TEST(MachineFaults, AreBlamedOnTheOneThatWasThere) {
    Struck struck(fault("link", "node 15", "at = \"100 us\"\nfor = \"10 us\"\n") +
                  fault("link", "node 14", "at = \"100 us\"\nfor = \"10 us\"\n") +
                  fault("link", "node 15", "at = \"200 us\"\nfor = \"10 us\"\n") +
                  fault("bit-errors", "node 15", "rate = 1e-12\n"));
    struck.put(60);
    struck.expect_all(60);
    EXPECT_GT(struck.report->faults.at(0).packets, 0U);
    EXPECT_EQ(struck.report->faults.at(1).packets, 0U);
    EXPECT_GT(struck.report->faults.at(2).packets, 0U);
    EXPECT_EQ(struck.report->faults.at(3).packets, 0U);
}

TEST(MachineFaults, TokensThatAreLostAreToldFromPackets) {
    std::uint64_t acknowledgments = 0;
    for (int phase = 0; phase < 40; ++phase) {
        const Duration at = 50_us + 150_ns * phase;
        Struck struck(
            fault("link", "node 15",
                  "at = \"" + std::to_string(at.picoseconds()) + " ps\"\nfor = \"60 ns\"\n"));
        struck.put(6);
        struck.expect_all(6);
        EXPECT_LE(struck.report->duplicates, struck.report->acknowledgments);
        acknowledgments += struck.report->acknowledgments;
    }
    EXPECT_GT(acknowledgments, 0U) << "no break hit a token: shift the phases";
}

}  // namespace
}  // namespace railyard::quadrics
