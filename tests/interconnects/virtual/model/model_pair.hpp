#pragma once
/// Two ranks on a model whose every part takes a time of its own, so that a sum tells which of them
/// a message passed.

#include <functional>
#include <sstream>
#include <string>
#include <string_view>

#include "interconnects/virtual/ideal/pair.hpp"
#include "interconnects/virtual/model/fabric.hpp"
#include "sim/trace.hpp"

namespace railyard::model::testing {

using namespace ideal::testing;

class ModelPair : public ideal::testing::Pair {
  protected:
    ModelPair() {
        plain.name = "plain";
        plain.host.post = 100_ns;
        plain.host.detect = 10_ns;
        plain.host.reap_send = 30_ns;
        plain.host.reap_receive = 20_ns;
        plain.bus.read_rate = plain.bus.write_rate = Rate::bytes_per_second(1e15);
        plain.bus.doorbell = 200_ns;
        plain.bus.read_latency = 1_us;
        plain.bus.write_latency = 400_ns;
        plain.adapter.send = 3_us;
        plain.adapter.receive = 5_us;
        plain.adapter.respond = 7_us;
        plain.adapter.respond_reads = 2;
        plain.link.rate = Rate::bytes_per_second(1e15);
        plain.link.packet = 1_KiB;
        plain.network.latency = 600_ns;
        plain.completion.write = 50_ns;
    }
    std::unique_ptr<fabric::Fabric> open_fabric() override { return model::open(engine, plain); }

    /// From the post until the peer, watching its memory, has seen it.
    Duration write_time(std::uint64_t size = 8) {
        a->memory->data()[size - 1] = std::byte{++stamp};
        const Slice slice = a->slice(0, size);
        const Time start = engine.now();
        EXPECT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).ok());
        EXPECT_TRUE(b->host.wait_until(
            [&] { return fabric::arrived(b->memory->data() + size - 1, std::byte{stamp}); }));
        const Duration took = elapsed(start);
        a->next_sent();
        return took;
    }
    static double us(Duration duration) { return duration.microseconds(); }

    /// Does a trace of that run show such a piece of work?
    bool shows(std::string_view what, const std::function<void()>& body) {
        sim::Trace trace;
        engine.record(&trace);
        run(body);
        engine.record(nullptr);
        std::ostringstream text;
        trace.write(text);
        return text.str().find("\"" + std::string(what) + "\"") != std::string::npos;
    }

    hardware::Parameters plain;
    unsigned char stamp = 0;
    // post, doorbell, descriptor, send, data, network, receive, write, detect
    const double write_us = 0.1 + 0.2 + 1 + 3 + 1 + 0.6 + 5 + 0.4 + 0.01;
};

}  // namespace railyard::model::testing
