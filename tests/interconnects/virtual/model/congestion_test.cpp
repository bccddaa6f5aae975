// Many who send to one, in a fat tree: how far it is felt.

#include "interconnects/virtual/model/model_pair.hpp"

namespace railyard::model {
namespace {

using namespace testing;

// Four nodes to a switch of the first level. Nodes 1, 4 and 12 send to node 0; node 6 sends to node
// 8. Packets from 4 to 0 and from 6 to 8 go up by the same link, and part in the switch above it.
class Tree : public ModelPair {
  protected:
    Tree() {
        plain.link.rate = Rate::bytes_per_second(1e9);
        plain.bus.read_rate = plain.bus.write_rate = Rate::bytes_per_second(4e9);
        plain.network = {.topology = hardware::Topology::fat_tree,
                         .latency = 300_ns,
                         .hop = 100_ns,
                         .buffer = {},
                         .dimension = 2};
    }

    struct Flow {
        Flow(sim::Engine& engine, fabric::Fabric& fabric, fabric::NodeId from, fabric::NodeId to)
            : source(engine, fabric, from), target(engine, fabric, to) {
            connect(source, *source.pair, target, *target.pair, 7);
            there = source.nic->import_region(target.memory->export_blob());
        }
        void write(std::uint64_t size) {
            const Slice slice = source.slice(0, size);
            EXPECT_TRUE(source.pair->post(rdma(Op::rdma_write, 1, slice, *there, 0)).ok());
        }
        Rank source;
        Rank target;
        std::unique_ptr<fabric::RemoteRegion> there;
    };

    /// How long a small message from 6 to 8 takes while so many others send to node 0, in us.
    double bystander(unsigned senders) {
        double took = 0;
        run([&] { took = with_bystander(senders); });
        return took;
    }
    double with_bystander(unsigned senders) {
        std::vector<std::unique_ptr<Flow>> flows;
        for (const fabric::NodeId from : {4U, 12U, 1U})
            flows.push_back(std::make_unique<Flow>(engine, *fabric, from, 0));
        Flow victim(engine, *fabric, 6, 8);
        for (unsigned i = 0; i < senders; ++i)
            flows[i]->write(1 << 20);
        victim.source.host.compute(500_us);
        const Time start = engine.now();
        victim.write(8);
        victim.source.next_sent();
        const double took = us(elapsed(start));
        for (unsigned i = 0; i < senders; ++i)
            flows[i]->source.next_sent();
        return took;
    }
};

TEST_F(Tree, CongestionSpreadsToThoseWhoOnlyShareALinkOnTheWay) {
    const double alone = bystander(0);
    EXPECT_LT(bystander(1), alone + 1.1) << "a packet before it on the link";
    EXPECT_LT(bystander(3), alone + 1.1) << "switches take all in";
    plain.network.buffer = 8_KiB;
    EXPECT_EQ(bystander(0), alone);
    EXPECT_LT(bystander(1), alone + 1.1);
    // Node 0's link is everybody's, so of seven packets of node 4 above each waits for two others.
    EXPECT_GT(bystander(3), alone + 10);
    EXPECT_TRUE(shows("no credit", [&] { with_bystander(3); }));
    EXPECT_FALSE(shows("no credit", [&] { with_bystander(1); }));
}

// Node 4 sends alone, faster than node 0 can write to its memory.
TEST_F(Tree, CongestionBehindASlowBusSpreadsIfAdaptersHoldSoMuchOnly) {
    plain.bus.write_rate = Rate::bytes_per_second(0.25e9);
    plain.network.buffer = 8_KiB;
    const double alone = bystander(0);
    EXPECT_LT(bystander(1), alone + 1.1) << "the adapter takes all in";
    plain.adapter.receive_buffer = 8_KiB;
    EXPECT_EQ(bystander(0), alone);
    // Of seven packets above, each waits for the bus, which takes 4 us for one.
    EXPECT_GT(bystander(1), alone + 20);
    EXPECT_TRUE(shows("no credit", [&] { with_bystander(1); }));
    plain.network.buffer = {};
    EXPECT_LT(bystander(1), alone + 1.1) << "the last switch takes all in";
}

// Waiting in the network or in the adapter is the same to the bus.
TEST_F(Tree, ASlowBusIsAsBusyWhereverDataWaitForIt) {
    plain.bus.write_rate = Rate::bytes_per_second(0.25e9);
    const auto took = [&] {
        double time = 0;
        run([&] {
            Flow flow(engine, *fabric, 4, 0);
            const Time start = engine.now();
            flow.write(1 << 20);
            flow.source.next_sent();
            time = us(elapsed(start));
        });
        return time;
    };
    const double at_once = took();
    for (const Bytes buffer : {Bytes(), 8_KiB}) {
        plain.network.buffer = buffer;
        plain.adapter.receive_buffer = 4_KiB;
        EXPECT_EQ(took(), at_once);
    }
}

}  // namespace
}  // namespace railyard::model
