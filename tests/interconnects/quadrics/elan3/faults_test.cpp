// Faults, as programs see them: FA-1 to FA-8, EL-9 and RT-5; broadcasts, BC-1 to BC-3.

#include <gmock/gmock.h>

#include "interconnects/quadrics/elan3/cluster.hpp"

namespace railyard::elan3 {
namespace {

using namespace railyard::literals;
using elite::Part;

/// Many puts of growing values from process 0 to the last one, each with an event at both ends.
class Stream {
  public:
    Stream(std::uint32_t processes, int messages) : cluster(processes), messages_(messages) {}

    void run() {
        const Vpid last = static_cast<Vpid>(cluster.job->processes.size() - 1);
        cluster.run([&](Process& process) {
            if (process.self() != 0 && process.self() != last) return;
            const Address buffer = process.allocate(Home::main, size);
            process.store(buffer, std::vector<std::byte>(size));
            const Event event = process.make_event();
            (process.self() == 0 ? source : target) = buffer;
            if (process.self() == last) arrived = event.address;
            process.engine().sleep_until(Time::at(50_us));
            if (process.self() == 0)
                send(process, last, event);
            else
                receive(process, event);
            process.engine().sleep_until(Time::at(20_ms));
            if (process.self() == last) fired = process.context().events.at(arrived).fired;
        });
    }

    Cluster cluster;
    Status outcome;
    std::uint64_t fired = 0;
    int received = 0;
    Duration took;  ///< by the last one, at its source

  private:
    static constexpr std::uint32_t size = 1500;

    void send(Process& process, Vpid last, const Event& event) {
        for (int i = 1; i <= messages_; ++i) {
            process.store(source, pattern(size, static_cast<unsigned>(i)));
            const Time start = process.now();
            process.put(last, source, target, size, {event.address, arrived});
            outcome = process.wait(event);
            took = process.now() - start;
            if (!outcome.ok()) return;
            process.prime(event);
        }
    }
    void receive(Process& process, const Event& event) {
        for (int i = 1; i <= messages_; ++i) {
            while (!process.poll(event)) {
                if (process.now() > Time::at(15_ms)) return;
                process.spend(100_ns);
            }
            process.prime(event);
            ++received;
        }
    }

    int messages_;
    Address source = 0;
    Address target = 0;
    Address arrived = 0;
};

// FA-1 and FA-2: as many tokens as packets, one each.
TEST(Elan3Faults, EveryPacketHasOneToken) {
    Stream stream(2, 20);
    stream.run();
    const elite::Counters& counters = stream.cluster.machine.network().counters();
    EXPECT_EQ(stream.received, 20);
    EXPECT_EQ(counters.accepted, counters.sent);
    EXPECT_EQ(counters.refused + counters.failed, 0U);
    EXPECT_EQ(counters.sent, 20U * 5U);
}

// FA-6 and FA-8: bits go wrong all the time; every event fires once and nothing is lost.
TEST(Elan3Faults, BitErrorsAreRetried) {
    Stream stream(16, 60);
    stream.cluster.machine.network().set_bit_errors(15, 2e-5);
    stream.run();
    EXPECT_TRUE(stream.outcome.ok());
    EXPECT_EQ(stream.received, 60);
    EXPECT_EQ(stream.fired, 60U);
    EXPECT_GT(stream.cluster.machine.adapter(0).sender().retries(), 3U);
}

// FA-8: a way that breaks while the token is on it delivers once, though the source has to repeat.
TEST(Elan3Faults, ATokenThatIsLostRepeatsNothing) {
    std::uint64_t duplicates = 0;
    for (int phase = 0; phase < 40; ++phase) {
        Stream stream(16, 6);
        const Duration from = 50_us + 150_ns * phase;
        elite::Network& network = stream.cluster.machine.network();
        network.break_part(Part::cable(15), Time::at(from), Time::at(from + 60_ns));
        stream.run();
        EXPECT_TRUE(stream.outcome.ok());
        EXPECT_EQ(stream.received, 6) << phase;
        EXPECT_EQ(stream.fired, 6U) << phase;
        duplicates += stream.cluster.machine.adapter(15).inputter().duplicates();
    }
    EXPECT_GT(duplicates, 0U) << "no break hit a token: shift the phases";
}

// FA-7: a switch dies for good; traffic flows on by another way.
TEST(Elan3Faults, TakesAnotherWay) {
    Stream stream(16, 10);
    elite::Network& network = stream.cluster.machine.network();
    elan::Context& context = stream.cluster.machine.context(*stream.cluster.job, 0);
    context.tables.clear();
    context.tables.emplace_back(network.tree(), 0, elite::Routing::fixed);
    const Part dead = Part::switch_of(network.tree().switch_at(2, 3));
    network.break_part(dead, Time::at(100_us));
    stream.run();
    EXPECT_TRUE(stream.outcome.ok());
    EXPECT_EQ(stream.received, 10);
    EXPECT_EQ(stream.fired, 10U);
    EXPECT_EQ(stream.cluster.machine.adapter(0).sender().ways_changed(), 1U);
    EXPECT_THAT(context.routes().avoided(), ::testing::ElementsAre(dead));
    stream.cluster.machine.adapter(0).forget_faults();
    EXPECT_TRUE(context.routes().avoided().empty());
}

// FA-3 and FA-4: who finds an error says so at once, to both ends: the source need not wait for a
// token that does not come.
TEST(Elan3Faults, AreToldAtOnce) {
    Stream undisturbed(16, 1);
    undisturbed.run();
    std::uint64_t told_there = 0;
    std::uint64_t retries = 0;
    for (int phase = 0; phase < 30; ++phase) {
        Stream stream(16, 1);
        const Duration from = 51_us + 150_ns * phase;
        elite::Network& network = stream.cluster.machine.network();
        network.break_part(Part::cable(15), Time::at(from), Time::at(from + 50_ns));
        stream.run();
        const elan::Sender& sender = stream.cluster.machine.adapter(0).sender();
        const Duration delay = stream.cluster.machine.parameters().fault_delay;
        EXPECT_LE(stream.took, undisturbed.took + (delay + 1_us) * sender.retries()) << phase;
        told_there += network.counters().broken;
        retries += sender.retries();
    }
    EXPECT_GT(retries, 0U);
    EXPECT_GT(told_there, 0U);
}

// FA-5: the source is told which cable it was, hop by hop, and takes that one out of its tables.
TEST(Elan3Faults, AreLocated) {
    const elite::FatTree tree(2);
    // From node 0 up by the link of node 15's last digit, and down to it.
    const elite::SwitchId leaf = tree.leaf_of(0);
    const elite::SwitchId top = tree.switch_at(2, 3);
    for (const elite::CableId dead : {elite::CableId{0}, tree.cable(tree.out(leaf, 4 + 3)),
                                      tree.cable(tree.out(top, 3)), elite::CableId{15}}) {
        Stream stream(16, 2);
        elan::Context& context = stream.cluster.machine.context(*stream.cluster.job, 0);
        context.tables.clear();
        context.tables.emplace_back(tree, 0, elite::Routing::fixed);
        stream.cluster.machine.network().break_part(Part::cable(dead), Time());
        stream.run();
        EXPECT_THAT(context.routes().avoided(), ::testing::ElementsAre(Part::cable(dead)));
        const bool is_the_only_way = dead == 0 || dead == 15;
        EXPECT_EQ(stream.outcome, is_the_only_way ? Status(Code::timed_out) : Status());
        EXPECT_EQ(stream.received, is_the_only_way ? 0 : 2);
    }
}

// FA-7: what was avoided is tried again when no other way is left; nobody has to say that it is
// mended.
TEST(Elan3Faults, ShortOnesThatPileUpCutNobodyOff) {
    Stream stream(16, 200);
    elite::Network& network = stream.cluster.machine.network();
    // One switch after the other, so that three of four would do at any time; and the one cable.
    for (unsigned i = 0; i < 60; ++i) {
        const Duration from = 100_us + 60_us * i;
        const Part part =
            i % 5 == 4 ? Part::cable(15) : Part::switch_of(network.tree().switch_at(2, i % 5));
        network.break_part(part, Time::at(from), Time::at(from + 10_us + 650_ns * i));
    }
    elan::Context& context = stream.cluster.machine.context(*stream.cluster.job, 0);
    context.tables.clear();
    context.tables.emplace_back(network.tree(), 0, elite::Routing::fixed);
    stream.run();
    EXPECT_TRUE(stream.outcome.ok());
    EXPECT_EQ(stream.received, 200);
    EXPECT_EQ(stream.fired, 200U);
    EXPECT_GT(stream.cluster.machine.adapter(0).sender().ways_changed(), 4U);
}

// FA-6: as many retries as a descriptor may ask for; the wait between them has a bound.
TEST(Elan3Faults, ManyRetriesEnd) {
    Cluster cluster(2);
    cluster.machine.network().break_part(Part::cable(1), Time());
    cluster.run([&](Process& process) {
        if (process.self() != 0) return process.engine().sleep_until(Time::at(2_s));
        const Event done = process.make_event();
        elan::Descriptor descriptor;
        descriptor.destination = 1;
        descriptor.source_event = done.address;
        descriptor.retries = 255;
        process.start(descriptor);
        EXPECT_EQ(process.wait(done), Code::timed_out);
        EXPECT_GT(process.now(), Time::at(200_ms));
        EXPECT_LT(process.now(), Time::at(2_s));
        EXPECT_EQ(process.adapter().sender().retries(), 2U * 256U);
    });
}

// A destination that cannot be reached is reported as such.
TEST(Elan3Faults, SaysThatANodeIsOutOfReach) {
    Stream stream(16, 10);
    stream.cluster.machine.network().break_part(Part::cable(15), Time::at(100_us));
    stream.run();
    EXPECT_EQ(stream.outcome, Code::timed_out);
    EXPECT_LT(stream.received, 10);
    EXPECT_EQ(stream.fired, static_cast<std::uint64_t>(stream.received));
}

// EL-9 and RT-5: another table at the source is another way, and nothing else changes.
TEST(Elan3Faults, ARoutingTableIsTheSourcesOwn) {
    for (const std::size_t table : {0U, 1U}) {
        Stream stream(16, 3);
        elite::Network& network = stream.cluster.machine.network();
        elan::Context& context = stream.cluster.machine.context(*stream.cluster.job, 0);
        context.tables.emplace_back(network.tree(), 0, elite::Routing::fixed);
        const Part gone = Part::switch_of(network.tree().switch_at(2, 3));
        context.tables[1].set(
            15, *elite::find_route(network.tree(), 0, 15, elite::Routing::fixed, {gone}));
        context.tables[0].set(15, *elite::find_route(network.tree(), 0, 15, elite::Routing::fixed));
        context.table = table;
        network.break_part(gone, Time());
        stream.run();
        EXPECT_EQ(stream.received, 3);
        EXPECT_EQ(stream.cluster.machine.adapter(0).sender().retries() > 0, table == 0);
    }
}

// BC-1: one DMA, all processes of a range; each has the data and its event.
TEST(Elan3Broadcast, ReachesAll) {
    Cluster cluster(16);
    int seen = 0;
    cluster.run([&](Process& process) {
        const Address buffer = process.allocate(Home::main, 2000);
        process.store(buffer, pattern(2000, process.self()));
        const Event event = process.make_event();
        const Event sent = process.make_event();
        process.engine().sleep_until(Time::at(100_us));
        if (process.self() == 3) {
            process.broadcast(0, 15, buffer, buffer, 2000, {sent.address, event.address});
            EXPECT_TRUE(process.wait(sent).ok());
        }
        EXPECT_TRUE(process.wait(event).ok());
        std::vector<std::byte> bytes(2000);
        process.load(buffer, bytes);
        EXPECT_EQ(bytes, pattern(2000, 3));
        ++seen;
        process.engine().sleep_until(Time::at(500_us));
    });
    EXPECT_EQ(seen, 16);
}

// BC-2: one that refuses fails it for all, at the source; those that took it fire once all the
// same.
TEST(Elan3Broadcast, FailsIfOneRefuses) {
    Cluster cluster(16);
    cluster.run([&](Process& process) {
        const Address buffer = process.allocate(Home::main, 64);
        process.store(buffer, pattern(64, process.self()));
        const Event sent = process.make_event();
        const Event event = process.make_event();
        if (process.self() == 9) process.expose({buffer, buffer + 63, true, false, {}});
        process.engine().sleep_until(Time::at(100_us));
        if (process.self() == 0) {
            process.broadcast(0, 15, buffer, buffer, 64, {sent.address, event.address});
            EXPECT_EQ(process.wait(sent), Code::no_right);
        }
        process.engine().sleep_until(Time::at(300_us));
        const bool refused = process.self() == 9;
        EXPECT_EQ(process.context().events.at(event.address).fired, refused ? 0U : 1U);
        std::vector<std::byte> bytes(64);
        process.load(buffer, bytes);
        EXPECT_EQ(bytes, pattern(64, refused ? 9 : 0));
    });
}

// BC-2 and FA-8: a member whose page is not there yet makes it wait; nobody gets it twice.
TEST(Elan3Broadcast, IsRepeatedForOneAndTakenOnceByAll) {
    Cluster cluster(16);
    cluster.run([&](Process& process) {
        const Address buffer = process.allocate(Home::main, 2 * elan::page_size);
        if (process.self() != 9) process.store(buffer, pattern(64, process.self()));
        const Event event = process.make_event();
        process.engine().sleep_until(Time::at(100_us));
        if (process.self() == 0)
            process.broadcast(0, 15, buffer, buffer, 64,
                              {.source = elan::null_address, .destination = event.address});
        EXPECT_TRUE(process.wait(event).ok());
        process.engine().sleep_until(Time::at(500_us));
        EXPECT_EQ(process.context().events.at(event.address).fired, 1U);
    });
    EXPECT_GT(cluster.machine.adapter(5).inputter().duplicates(), 0U);
}

// BC-3
TEST(Elan3Broadcast, WantsARangeOfNodes) {
    Cluster cluster(1);
    const auto job = cluster.machine.add_job({0, 1, 3});
    cluster.engine.spawn("process", [&] {
        Process process(cluster.machine, job, 0);
        const Address buffer = process.allocate(Home::main, 64);
        process.store(buffer, pattern(64));
        process.broadcast(0, 2, buffer, buffer, 64, {});
        process.spend(20_us);
        EXPECT_THAT(process.troubles(), ::testing::ElementsAre(Code::invalid));
    });
    cluster.engine.run();
    EXPECT_EQ(cluster.machine.network().counters().sent, 0U);
}

}  // namespace
}  // namespace railyard::elan3
