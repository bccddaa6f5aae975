#pragma once
/// Two ranks on a modelled fabric that faults strike, and traffic between them of which every byte,
/// the order and the number of completions are checked.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "faults/script.hpp"
#include "interconnects/registry.hpp"
#include "interconnects/virtual/common/engine.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"
#include "interconnects/virtual/ideal/pair.hpp"
#include "interconnects/virtual/model/fabric.hpp"
#include "profiles/schema.hpp"
#include "railyard/fault_report.hpp"

namespace railyard::model::testing {

using namespace literals;
using Done = fabric::Completion;
using ideal::testing::Op;
using ideal::testing::Rank;
using ideal::testing::Slice;

/// On different switches of the first level, where the network is a tree.
constexpr fabric::NodeId node_a = 0;
constexpr fabric::NodeId node_b = 5;

/// When traffic begins: memory has been registered by then, whatever that takes.
constexpr Time start = Time::at(10_ms);

/// What a shipped profile says of hardware, run by the parts of the model whatever its engine.
inline hardware::Parameters parameters_of(const std::string& profile) {
    return hardware::read(profiles::shipped_profile(interconnects::language(), profile));
}

class Struck {
  public:
    /// No script at all: the fabric as it is ever opened.
    explicit Struck(const std::string& profile, const std::optional<std::string>& script = {})
        : parameters_(parameters_of(profile)) {
        const faults::Layout layout = hardware::layout(parameters_, 16);
        fabric_ = script ? open(engine_, parameters_,
                                faults::parse_script(*script, "script", layout), layout, report_)
                         : open(engine_, parameters_);
    }

    /// Both bodies run at once, each in a fiber, with the two ranks connected.
    void run(const std::function<void(Rank& a, Rank& b)>& of_a,
             const std::function<void(Rank& a, Rank& b)>& of_b) {
        std::optional<Rank> a;
        std::optional<Rank> b;
        int left = 2;
        const auto play = [&](const std::function<void(Rank&, Rank&)>& body) {
            body(*a, *b);
            if (--left > 0) return;
            ended_ = engine_.now();
            a.reset();
            b.reset();
            fabric_.reset();
        };
        engine_.spawn("a", [&] {
            a.emplace(engine_, *fabric_, node_a);
            b.emplace(engine_, *fabric_, node_b);
            EXPECT_TRUE(a->pair->connect_peer(b->nic->address(), 1, {}, Time::never()).ok());
            EXPECT_TRUE(b->pair->connect_peer(a->nic->address(), 1, {}, Time::never()).ok());
            for (Rank* one : {&*a, &*b})
                one->host.wait_until(
                    [&] { return one->pair->state() == fabric::ConnectionState::connected; });
            EXPECT_LT(engine_.now(), start);
            a->host.wait_until([] { return false; }, start);
            engine_.spawn("b", [&] { play(of_b); });
            play(of_a);
        });
        engine_.run();
    }

    sim::Engine& engine() { return engine_; }
    const fabric::FaultReport& report() const { return *report_; }
    Time ended() const { return ended_; }
    const hardware::Parameters& parameters() const { return parameters_; }

  private:
    const hardware::Parameters parameters_;
    sim::Engine engine_;
    std::shared_ptr<fabric::FaultReport> report_ = std::make_shared<fabric::FaultReport>();
    std::unique_ptr<fabric::Fabric> fabric_;
    Time ended_;
};

inline Done next(Rank& rank, fabric::CompletionQueue& queue) {
    Done completion;
    rank.host.wait_until([&] { return queue.poll(completion); });
    return completion;
}

/// Of every kind of message: empty, one packet, many.
inline std::uint64_t size_of(unsigned number) {
    constexpr std::uint64_t sizes[] = {8, 0, 100, 2048, 5000, 64, 1, 20'000};
    return sizes[number % std::size(sizes)];
}

/// a sends so many messages to b, a few at a time.
inline void stream(Struck& struck, unsigned messages) {
    constexpr unsigned window = 8;
    constexpr std::uint64_t room = 32 << 10;
    const auto slot = [](unsigned number) { return number % window * room; };
    struck.run(
        [&](Rank& a, Rank&) {
            unsigned heard = 0;
            const auto hear = [&] {
                const Done completion = next(a, *a.sent);
                EXPECT_TRUE(completion.status.ok()) << completion.status.name();
                EXPECT_EQ(completion.id, heard++) << "out of order, or twice";
            };
            for (unsigned i = 0; i < messages; ++i) {
                if (i >= window) hear();
                a.fill(slot(i), size_of(i), i);
                const Slice slice = a.slice(slot(i), size_of(i));
                ASSERT_TRUE(a.pair->post(ideal::testing::send(i, slice)).ok());
            }
            while (heard < messages)
                hear();
            EXPECT_TRUE(a.nothing_within(1_ms)) << "an event fired twice";
        },
        [&](Rank&, Rank& b) {
            for (unsigned i = 0; i < window; ++i)
                ASSERT_TRUE(b.post_receive(i, b.slice(slot(i), room)).ok());
            for (unsigned i = 0; i < messages; ++i) {
                const Done completion = next(b, *b.received);
                ASSERT_TRUE(completion.status.ok()) << completion.status.name();
                ASSERT_EQ(completion.id, i) << "out of order, or twice";
                ASSERT_EQ(completion.length.count(), size_of(i));
                ASSERT_TRUE(b.holds(slot(i), size_of(i), i)) << "message " << i;
                if (i + window < messages) {
                    ASSERT_TRUE(b.post_receive(i + window, b.slice(slot(i), room)).ok());
                }
            }
            EXPECT_TRUE(b.nothing_within(1_ms)) << "an event fired twice";
        });
}

}  // namespace railyard::model::testing
