#pragma once
/// Ranks with tagged ports, driven by one fiber, over a wire that takes its time at every step and
/// writes down what it is asked.

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "hosts/virtual_host.hpp"
#include "interconnects/virtual/common/fabric.hpp"
#include "interconnects/virtual/ideal/fabric.hpp"
#include "railyard/nic.hpp"

namespace railyard::virtual_time::testing {

using namespace literals;
using fabric::any_peer;
using fabric::MatchBits;
using fabric::TaggedCompletion;
using fabric::TaggedPeer;

constexpr MatchBits all_bits = ~MatchBits{0};

/// What a test says of its wire, and what the wire saw.
struct Plan {
    Duration way = 1_us;
    Duration placing;
    Duration telling;
    Duration matching;     ///< each call of match() ...
    Duration match_entry;  ///< ... and each entry passed over
    std::map<HostStep, Duration> host;
    hosts::VirtualHost::Costs costs;
    TaggedRules rules{.inline_limit = 64_B, .eager_limit = 1000_B};

    struct Carried {
        Kind kind;
        Bytes size;
        bool inlined;
        fabric::NodeId from;
        fabric::NodeId to;
        std::uint64_t message;
    };
    struct Matched {
        fabric::NodeId node;
        std::size_t posted;
        std::size_t unexpected;
        friend bool operator==(const Matched&, const Matched&) = default;
    };
    struct Step {
        HostStep step;
        Bytes size;
        friend bool operator==(const Step&, const Step&) = default;
    };
    std::vector<Carried> carried;
    std::vector<Carried> placed;
    std::vector<Matched> matched;
    std::vector<Step> steps;

    std::vector<Kind> kinds() const {
        std::vector<Kind> kinds;
        for (const Carried& one : carried)
            kinds.push_back(one.kind);
        return kinds;
    }
    std::vector<Bytes> sizes_of(HostStep step) const {
        std::vector<Bytes> sizes;
        for (const Step& one : steps)
            if (one.step == step) sizes.push_back(one.size);
        return sizes;
    }
    void forget() {
        carried.clear();
        placed.clear();
        matched.clear();
        steps.clear();
    }
};

class PlannedWire final : public Wire {
  public:
    PlannedWire(sim::Engine& engine, Plan& plan) : engine_(engine), plan_(plan) {}

    void carry(const Transfer& transfer, sim::Action arrived) override {
        plan_.carried.push_back(seen(transfer));
        engine_.schedule(engine_.now() + plan_.way, std::move(arrived));
    }
    void place(const Transfer& transfer, sim::Action placed) override {
        plan_.placed.push_back(seen(transfer));
        later(plan_.placing, std::move(placed));
    }
    void complete(const End&, const Finished&, sim::Action visible) override {
        later(plan_.telling, std::move(visible));
    }
    void match(const End& end, std::size_t posted, std::size_t unexpected,
               sim::Action matched) override {
        plan_.matched.push_back({end.node, posted, unexpected});
        Time& free_at = free_at_[end.node];
        free_at = std::max(free_at, engine_.now()) + plan_.matching +
                  plan_.match_entry * static_cast<std::int64_t>(posted + unexpected);
        later(free_at - engine_.now(), std::move(matched));
    }
    TaggedRules tagged_rules() const override { return plan_.rules; }
    hosts::VirtualHost::Costs host_costs() const override { return plan_.costs; }
    Duration host_cost(HostStep step, Bytes size) const override {
        plan_.steps.push_back({step, size});
        const auto found = plan_.host.find(step);
        return found == plan_.host.end() ? Duration{} : found->second;
    }

  private:
    static Plan::Carried seen(const Transfer& t) {
        return {t.kind, t.size, t.inlined, t.from.node, t.to.node, t.message};
    }
    void later(Duration after, sim::Action action) {
        if (after == Duration{}) return action();
        engine_.schedule(engine_.now() + after, std::move(action));
    }

    sim::Engine& engine_;
    Plan& plan_;
    std::map<fabric::NodeId, Time> free_at_;
};

using Data = std::vector<std::byte>;
inline Data pattern(std::size_t size, unsigned seed) {
    Data data(size);
    for (std::size_t i = 0; i < size; ++i)
        data[i] = static_cast<std::byte>(seed * 31 + i * 7 + i / 251);
    return data;
}

struct Rank {
    Rank(sim::Engine& engine, fabric::Fabric& fabric, fabric::NodeId node)
        : host(engine), nic(fabric.adapter(node).open(host)), port(nic->tagged_port()) {}

    TaggedPeer peer(const Rank& other) const { return port->peer(other.nic->address()); }
    Status send(std::uint64_t id, const Rank& to, MatchBits bits, const Data& data,
                bool synchronous = false) const {
        return port->send({id, peer(to), bits, data, synchronous});
    }
    Status receive(std::uint64_t id, TaggedPeer from, MatchBits bits, Data& into,
                   MatchBits mask = all_bits) const {
        return port->receive({id, from, bits, mask, into});
    }
    bool poll(TaggedCompletion& into) const { return port->poll({&into, 1}) == 1; }
    TaggedCompletion next() {
        TaggedCompletion completion;
        if (!host.wait_until([&] { return poll(completion); }, host.now() + 1_s))
            ADD_FAILURE() << "no completion within a second";
        return completion;
    }
    bool nothing_within(Duration time) {
        TaggedCompletion completion;
        return !host.wait_until([&] { return poll(completion); }, host.now() + time);
    }

    hosts::VirtualHost host;
    std::unique_ptr<fabric::Nic> nic;
    fabric::TaggedPort* port;
};

class TaggedRanks : public ::testing::Test {
  protected:
    /// Runs the body in a fiber, with so many ranks, each on a node of its own.
    void run(std::size_t count, const std::function<void()>& body) {
        engine.spawn("test", [&] {
            fabric = std::make_unique<Fabric>(engine, ideal::traits(),
                                              std::make_unique<PlannedWire>(engine, plan));
            for (std::size_t node = 0; node < count; ++node)
                ranks.push_back(
                    std::make_unique<Rank>(engine, *fabric, static_cast<fabric::NodeId>(node)));
            body();
            ranks.clear();
            fabric.reset();
        });
        engine.run();
    }
    Rank& rank(std::size_t number) { return *ranks[number]; }
    void pass(Duration time) { rank(0).host.compute(time); }
    Duration elapsed(Time since) { return engine.now() - since; }

    sim::Engine engine;
    Plan plan;
    std::unique_ptr<Fabric> fabric;
    std::vector<std::unique_ptr<Rank>> ranks;
};

}  // namespace railyard::virtual_time::testing
