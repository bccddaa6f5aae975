// Tagged ports on the machine whose Nic goes, or whose peer is cut off, at any moment: each open
// request of the other side ends once, and nobody touches memory that its program has freed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "faults/script.hpp"
#include "hosts/virtual_host.hpp"
#include "interconnects/quadrics/fabric/fabric.hpp"
#include "interconnects/registry.hpp"
#include "profiles/schema.hpp"
#include "railyard/fault_report.hpp"
#include "railyard/nic.hpp"

namespace railyard::quadrics {
namespace {

using namespace literals;
using fabric::NodeId;
using fabric::TaggedCompletion;

constexpr std::size_t small = 100;
constexpr std::size_t large = 5000;
constexpr std::size_t count = 8;

using Data = std::vector<std::byte>;
Data contents(std::size_t number) {
    Data data(number % 2 == 0 ? small : large);
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = static_cast<std::byte>(number * 31 + i * 7 + i / 251);
    return data;
}

struct Rank {
    Rank(sim::Engine& engine, fabric::Fabric& fabric, NodeId node)
        : host(engine), nic(fabric.adapter(node).open(host)), port(nic->tagged_port()) {}
    hosts::VirtualHost host;
    std::unique_ptr<fabric::Nic> nic;
    fabric::TaggedPort* port;
    std::vector<int> ends = std::vector<int>(count);
    void drain(const std::function<void(const TaggedCompletion&)>& check) {
        for (TaggedCompletion found; port->poll({&found, 1}) == 1;) {
            ++ends.at(found.id);
            check(found);
        }
    }
};

/// Messages of all kinds under way, half of them unexpected.
struct Messages {
    void start(Rank& from, Rank& to) {
        for (std::size_t i = 0; i < count; ++i) {
            out.push_back(contents(i));
            in.emplace_back(large);
        }
        for (std::size_t i = 0; i < count / 2; ++i)
            receive(to, i);
        const fabric::TaggedPeer peer = from.port->peer(to.nic->address());
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_TRUE(from.port->send({i, peer, i, out[i], i % 3 == 0}).ok());
    }
    void receive(Rank& at, std::size_t i) {
        EXPECT_TRUE(at.port->receive({.id = i, .bits = i, .buffer = in[i]}).ok());
    }
    std::vector<Data> out;
    std::vector<Data> in;
};

void let_go(NodeId second, bool sender_goes, Duration when) {
    sim::Engine engine;
    engine.spawn("both", [&] {
        const auto fabric = interconnects::find("quadrics")->open_virtual(engine, 4);
        Rank from(engine, *fabric, 0);
        Rank to(engine, *fabric, second);
        Messages messages;
        messages.start(from, to);
        engine.sleep_until(engine.now() + when / 2);
        for (std::size_t i = count / 2; i < count; ++i)
            messages.receive(to, i);
        engine.sleep_until(engine.now() + when / 2);
        Rank& stays = sender_goes ? to : from;
        (sender_goes ? from : to).nic.reset();
        (sender_goes ? messages.out : messages.in).clear();
        engine.sleep_until(engine.now() + 1_ms);
        stays.drain([&](const TaggedCompletion& found) {
            EXPECT_TRUE(found.status.ok() || found.status == Code::remote_closed)
                << found.status.name();
            if (!sender_goes || !found.status.ok()) return;
            messages.in[found.id].resize(found.length.count());
            EXPECT_EQ(messages.in[found.id], contents(found.id));
        });
        EXPECT_EQ(stays.ends, std::vector<int>(count, 1)) << when.microseconds();
        stays.nic.reset();
    });
    engine.run();
}

TEST(QuadricsTaggedGone, EitherSideGoesAtAnyMoment) {
    for (const NodeId second : {1U, 0U})
        for (const bool sender_goes : {true, false})
            for (Duration when; when <= 90_us; when += 1130_ns)
                let_go(second, sender_goes, when);
}

/// The cable of the second is cut, and may be mended; whoever waits is told, and every request
/// ends.
void cut(Duration after, std::optional<Duration> mended) {
    const std::string script =
        fmt::format("[[fault]]\nwhat = 'link'\nwhere = 'node 1'\nat = '{} ps'\n{}",
                    (10_ms + after).picoseconds(),
                    mended ? fmt::format("for = '{} ps'\n", mended->picoseconds()) : std::string());
    const Parameters profile =
        read(profiles::shipped_profile(interconnects::language(), "quadrics"));
    sim::Engine engine;
    engine.spawn("both", [&] {
        const auto fabric =
            open(engine, profile, 4,
                 faults::parse_script(script, "script", hardware::layout(profile, 4)),
                 std::make_shared<fabric::FaultReport>());
        Rank from(engine, *fabric, 0);
        Rank to(engine, *fabric, 1);
        Messages messages;
        engine.sleep_until(Time::at(10_ms));
        messages.start(from, to);
        for (std::size_t i = count / 2; i < count; ++i)
            messages.receive(to, i);
        engine.sleep_until(engine.now() + 1_s);
        from.drain([&](const TaggedCompletion& one) {
            EXPECT_TRUE(one.status.ok() || one.status == Code::timed_out) << one.status.name();
        });
        EXPECT_EQ(from.ends, std::vector<int>(count, 1)) << after.microseconds();
        to.drain([&](const TaggedCompletion& one) {
            EXPECT_TRUE(one.status.ok() || one.status == Code::timed_out) << one.status.name();
            if (!one.status.ok()) return;
            messages.in[one.id].resize(one.length.count());
            EXPECT_EQ(messages.in[one.id], contents(one.id));
        });
        if (!mended) return;
        // What comes behind those that were lost is received.
        const Data out = contents(3);
        Data in(large);
        EXPECT_TRUE(to.port->receive({.id = 0, .bits = 99, .buffer = in}).ok());
        EXPECT_TRUE(from.port->send({1, from.port->peer(to.nic->address()), 99, out, false}).ok());
        engine.sleep_until(engine.now() + 1_s);
        int received = 0;
        to.drain([&](const TaggedCompletion& one) { received += one.bits == 99 ? 1 : 0; });
        EXPECT_EQ(received, 1) << after.microseconds();
        EXPECT_EQ(in, out);
    });
    engine.run();
}

TEST(QuadricsTaggedGone, WhoIsCutOffHoldsNobodyUp) {
    for (Duration after; after <= 60_us; after += 3170_ns) {
        cut(after, {});
        cut(after, 100_ms);
        cut(after, 50_us);
    }
}

}  // namespace
}  // namespace railyard::quadrics
