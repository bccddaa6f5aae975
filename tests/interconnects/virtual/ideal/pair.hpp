#pragma once
/// Two ranks on an ideal fabric, each with a host, a Nic, queues and a queue pair. One fiber plays
/// both, so that a test reads from top to bottom.

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "hosts/virtual_host.hpp"
#include "interconnects/virtual/ideal/fabric.hpp"
#include "railyard/fabric.hpp"
#include "sim/engine.hpp"

namespace railyard::ideal::testing {

using namespace literals;
using fabric::Access;
using fabric::Completion;
using fabric::ConnectionState;
using fabric::Flags;
using fabric::Op;
using fabric::ReceiveRequest;
using fabric::Slice;
using fabric::WorkRequest;

struct Rank {
    Rank(sim::Engine& engine, fabric::Fabric& fabric, fabric::NodeId node)
        : host(engine), nic(fabric.adapter(node).open(host)) {
        sent = nic->create_completion_queue(1024);
        received = nic->create_completion_queue(1024);
        receives = nic->create_receive_queue(1024);
        memory = nic->allocate(1_MiB, Access::all);
        fabric::QueuePairOptions options;
        options.send_completions = sent.get();
        options.receive_completions = received.get();
        options.receives = receives.get();
        pair = nic->create_queue_pair(options);
    }

    /// A further queue pair on the same completion queues, with a receive queue of its own.
    std::unique_ptr<fabric::QueuePair> another(std::unique_ptr<fabric::ReceiveQueue>& its_receives,
                                               fabric::QueuePairOptions options = {}) {
        its_receives = nic->create_receive_queue(64);
        if (!options.send_completions) options.send_completions = sent.get();
        options.receive_completions = received.get();
        options.receives = its_receives.get();
        return nic->create_queue_pair(options);
    }

    Completion next(fabric::CompletionQueue& queue) {
        Completion completion;
        if (!host.wait_until([&] { return queue.poll(completion); }, host.now() + 1_s))
            ADD_FAILURE() << "no completion within a second";
        return completion;
    }
    Completion next_sent() { return next(*sent); }
    Completion next_received() { return next(*received); }
    bool nothing_within(Duration time) {
        Completion completion;
        return !host.wait_until(
            [&] { return sent->poll(completion) || received->poll(completion); },
            host.now() + time);
    }

    Slice slice(std::uint64_t offset, std::uint64_t length) const {
        return Slice(*memory, Bytes(offset), Bytes(length));
    }
    void fill(std::uint64_t offset, std::uint64_t length, unsigned seed) const {
        for (std::uint64_t i = 0; i < length; ++i)
            memory->data()[offset + i] = static_cast<std::byte>(seed + i * 7 + i / 251);
    }
    bool holds(std::uint64_t offset, std::uint64_t length, unsigned seed) const {
        for (std::uint64_t i = 0; i < length; ++i)
            if (memory->data()[offset + i] != static_cast<std::byte>(seed + i * 7 + i / 251))
                return false;
        return true;
    }
    Status post_receive(std::uint64_t id, const Slice& slice) const {
        return receives->post(ReceiveRequest{id, {&slice, 1}});
    }

    hosts::VirtualHost host;
    std::unique_ptr<fabric::Nic> nic;
    std::unique_ptr<fabric::CompletionQueue> sent;
    std::unique_ptr<fabric::CompletionQueue> received;
    std::unique_ptr<fabric::ReceiveQueue> receives;
    std::unique_ptr<fabric::Region> memory;
    std::unique_ptr<fabric::QueuePair> pair;
};

inline WorkRequest send(std::uint64_t id, const Slice& slice, Flags flags = Flags::none) {
    WorkRequest request;
    request.id = id;
    request.op = Op::send;
    request.flags = flags;
    request.local = {&slice, 1};
    return request;
}
inline WorkRequest rdma(Op op, std::uint64_t id, const Slice& slice,
                        const fabric::RemoteRegion& region, std::uint64_t offset,
                        Flags flags = Flags::none) {
    WorkRequest request = send(id, slice, flags);
    request.op = op;
    request.remote = {&region, Bytes(offset)};
    return request;
}

class Pair : public ::testing::Test {
  protected:
    virtual std::unique_ptr<fabric::Fabric> open_fabric() { return open(engine, parameters); }

    /// Runs the body in a fiber, with a and b open, and connected if so wished.
    void run(const std::function<void()>& body, bool connected = true) {
        engine.spawn("test", [&] {
            fabric = open_fabric();
            a.emplace(engine, *fabric, 0);
            b.emplace(engine, *fabric, 1);
            if (connected) connect(*a, *a->pair, *b, *b->pair, 1);
            b_at_a = a->nic->import_region(b->memory->export_blob());
            body();
            b_at_a.reset();
            a.reset();
            b.reset();
            fabric.reset();
        });
        engine.run();
    }
    static void connect(Rank& one, fabric::QueuePair& its, Rank& other, fabric::QueuePair& others,
                        fabric::Discriminator discriminator) {
        ASSERT_TRUE(its.connect_peer(other.nic->address(), discriminator, {}, Time::never()).ok());
        ASSERT_TRUE(others.connect_peer(one.nic->address(), discriminator, {}, Time::never()).ok());
        wait_for(one, its, ConnectionState::connected);
        wait_for(other, others, ConnectionState::connected);
    }
    static void wait_for(Rank& rank, fabric::QueuePair& pair, ConnectionState state) {
        EXPECT_TRUE(
            rank.host.wait_until([&] { return pair.state() == state; }, rank.host.now() + 1_s));
    }
    Duration elapsed(Time since) { return engine.now() - since; }

    sim::Engine engine;
    Parameters parameters;
    std::unique_ptr<fabric::Fabric> fabric;
    std::optional<Rank> a;
    std::optional<Rank> b;
    std::unique_ptr<fabric::RemoteRegion> b_at_a;
};

}  // namespace railyard::ideal::testing
