// Many messages between all pairs of some nodes, under faults drawn at random from fixed seeds:
// each arrives once, whole and in order, and every request completes once. RAILYARD_FAULT_MESSAGES
// says how many messages in all; `scripts/soak` runs a million.

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <tuple>

#include "interconnects/virtual/model/struck.hpp"
#include "sim/random.hpp"

namespace railyard::model {
namespace {

using namespace testing;

constexpr unsigned nodes = 6;   // on two switches of a tree
constexpr unsigned window = 4;  ///< messages under way from one rank to one other
constexpr std::uint64_t room = 8192;

std::uint64_t wanted_messages() {
    const char* const text = std::getenv("RAILYARD_FAULT_MESSAGES");
    return text ? std::strtoull(text, nullptr, 10) : 40'000;
}

/// Of every kind, some all the time and some once, none longer than any interconnect's patience.
std::string random_script(std::uint64_t seed, bool tree, std::uint64_t horizon_us) {
    sim::Random random(seed, 77);
    std::string text = fmt::format("seed = {}\n", seed);
    const auto add = [&](const std::string& lines) { text += "[[fault]]\n" + lines + "\n"; };
    add(fmt::format("what = 'bit-errors'\nwhere = 'all links'\nrate = {}",
                    1e-8 * static_cast<double>(1 + random.below(100))));
    const std::uint64_t begin = 10'000;  // memory is registered by then
    for (unsigned i = 0; i < 3; ++i)
        add(fmt::format(
            "what = 'flapping-link'\nwhere = 'node {}, link 0{}'\nat = '{} us'\n"
            "down = '{} us'\nup = '{} us'",
            random.below(nodes), random.below(2) ? " out" : " in", begin + random.below(500),
            1 + random.below(60), 20'000 + random.below(40'000)));
    for (unsigned i = 0; i < 4; ++i) {
        const auto at = begin + random.below(horizon_us);
        add(fmt::format("what = 'adapter-reset'\nwhere = 'node {}'\nat = '{} us'\nfor = '{} us'",
                        random.below(nodes), at, 10 + random.below(1500)));
        add(fmt::format("what = 'link'\nwhere = 'node {}'\nat = '{} us'\nfor = '{} us'",
                        random.below(nodes), at + random.below(3000), 10 + random.below(1500)));
    }
    if (tree) {
        add(fmt::format("what = 'switch'\nwhere = 'switch {} of level 2'\nat = '{} us'",
                        random.below(4), begin + random.below(horizon_us)));
        add(
            fmt::format("what = 'flapping-link'\nwhere = 'switches, link {} of level 1'\n"
                        "down = '90 us'\nup = '1700 us'",
                        random.below(8)));
    } else {
        add(fmt::format("what = 'switch'\nwhere = 'switch 0'\nat = '{} us'\nfor = '300 us'",
                        begin + random.below(horizon_us)));
    }
    return text;
}

/// One rank: sends its share to all others and takes theirs.
class Player {
  public:
    Player(sim::Engine& engine, fabric::Fabric& fabric, unsigned node, std::uint64_t to_each)
        : node_(node), to_each_(to_each), rank_(engine, fabric, node), peers_(nodes) {
        for (unsigned peer = 0; peer < nodes; ++peer)
            if (peer != node) peers_[peer].pair = rank_.another(peers_[peer].receives);
    }
    Rank& rank() { return rank_; }
    fabric::QueuePair& to(unsigned peer) { return *peers_[peer].pair; }

    void play() {
        for (unsigned peer = 0; peer < nodes; ++peer)
            for (std::uint64_t i = 0; peer != node_ && i < window; ++i)
                post_receive(peer, i);
        rank_.host.wait_until([this] { return advance(); });
        EXPECT_EQ(heard_, to_each_ * (nodes - 1));
        EXPECT_EQ(taken_, to_each_ * (nodes - 1));
    }

  private:
    struct Peer {
        std::unique_ptr<fabric::ReceiveQueue> receives;
        std::unique_ptr<fabric::QueuePair> pair;
        std::uint64_t sent = 0;
        std::uint64_t heard = 0;
        std::uint64_t taken = 0;
    };
    static std::uint64_t size_of(unsigned from, unsigned to, std::uint64_t number) {
        const std::uint64_t chance = sim::Random(number, from * nodes + to)();
        return 1 + (chance % 16 == 0 ? chance / 16 % 8000 : chance / 16 % 200);
    }
    static unsigned seed_of(unsigned from, unsigned to, std::uint64_t number) {
        return static_cast<unsigned>(number * 31 + from * 7 + to);
    }
    std::uint64_t slot(unsigned peer, std::uint64_t number, bool receives) const {
        return ((receives ? nodes : 0) + peer) * window * room + number % window * room;
    }

    void post_receive(unsigned peer, std::uint64_t number) {
        const Slice slice = rank_.slice(slot(peer, number, true), room);
        ASSERT_TRUE(peers_[peer]
                        .receives->post(fabric::ReceiveRequest{peer * step + number, {&slice, 1}})
                        .ok());
    }
    void send(unsigned peer) {
        const std::uint64_t number = peers_[peer].sent++;
        const std::uint64_t size = size_of(node_, peer, number);
        rank_.fill(slot(peer, number, false), size, seed_of(node_, peer, number));
        const Slice slice = rank_.slice(slot(peer, number, false), size);
        ASSERT_TRUE(
            peers_[peer].pair->post(ideal::testing::send(peer * step + number, slice)).ok());
    }
    /// All that can be done now; true when nothing is left to do.
    bool advance() {
        Done completion;
        while (rank_.sent->poll(completion)) {
            const auto peer = static_cast<unsigned>(completion.id / step);
            EXPECT_TRUE(completion.status.ok()) << completion.status.name();
            EXPECT_EQ(completion.id % step, peers_[peer].heard++);
            ++heard_;
        }
        while (rank_.received->poll(completion))
            take(completion);
        for (unsigned peer = 0; peer < nodes; ++peer)
            while (peer != node_ && peers_[peer].sent < to_each_ &&
                   peers_[peer].sent - peers_[peer].heard < window)
                send(peer);
        const std::uint64_t all = to_each_ * (nodes - 1);
        return (heard_ == all && taken_ == all) || ::testing::Test::HasFailure();
    }
    void take(const Done& completion) {
        const auto peer = static_cast<unsigned>(completion.id / step);
        const std::uint64_t number = peers_[peer].taken++;
        EXPECT_TRUE(completion.status.ok()) << completion.status.name();
        EXPECT_EQ(completion.id % step, number) << "out of order, or twice";
        EXPECT_EQ(completion.length.count(), size_of(peer, node_, number));
        EXPECT_TRUE(rank_.holds(slot(peer, number, true), completion.length.count(),
                                seed_of(peer, node_, number)));
        ++taken_;
        if (number + window < to_each_) post_receive(peer, number + window);
    }

    static constexpr std::uint64_t step = std::uint64_t{1} << 40;
    const unsigned node_;
    const std::uint64_t to_each_;
    Rank rank_;
    std::vector<Peer> peers_;
    std::uint64_t heard_ = 0;
    std::uint64_t taken_ = 0;
};

constexpr std::array profiles = {"quadrics", "infiniband-pcix", "myrinet2000-gm",
                                 "neteffect-iwarp"};
constexpr std::array<std::uint64_t, 4> seeds = {4711, 1, 2, 3};

class FaultSoak : public ::testing::TestWithParam<std::tuple<const char*, std::uint64_t>> {};

TEST_P(FaultSoak, EveryMessageIsAccountedFor) {
    const auto [profile, seed] = GetParam();
    const std::uint64_t runs = profiles.size() * seeds.size();
    const std::uint64_t to_each = wanted_messages() / runs / (nodes * (nodes - 1)) + 1;
    const hardware::Parameters parameters = parameters_of(profile);
    const faults::Layout layout = hardware::layout(parameters, nodes);
    const std::string script = random_script(seed, layout.is_tree(), 20 * to_each);
    const auto report = std::make_shared<fabric::FaultReport>();

    sim::Engine engine;
    auto fabric =
        open(engine, parameters, faults::parse_script(script, "script", layout), layout, report);
    std::map<unsigned, Player> players;
    unsigned ready = 0;
    unsigned left = nodes;
    for (unsigned node = 0; node < nodes; ++node)
        engine.spawn(fmt::format("rank {}", node), [&, node] {
            Player& me = players.try_emplace(node, engine, *fabric, node, to_each).first->second;
            ++ready;
            while (ready < nodes)  // nobody tells this host of it
                me.rank().host.wait_until([] { return false; }, me.rank().host.now() + 1_us);
            for (unsigned peer = 0; peer < nodes; ++peer) {
                if (peer == node) continue;
                const fabric::Address address = players.at(peer).rank().nic->address();
                ASSERT_TRUE(me.to(peer).connect_peer(address, 1, {}, Time::never()).ok());
            }
            for (unsigned peer = 0; peer < nodes; ++peer)
                me.rank().host.wait_until([&] {
                    return peer == node ||
                           me.to(peer).state() == fabric::ConnectionState::connected;
                });
            me.rank().host.wait_until([] { return false; }, Time::at(10_ms));
            me.play();
            // Nobody goes while others may still miss an answer.
            if (--left == 0) {
                players.clear();
                fabric.reset();
            }
        });
    engine.run();
    EXPECT_EQ(left, 0U);
    EXPECT_GE(report->struck(), 3U) << script;  // some come when all messages are through
    EXPECT_GT(report->retransmitted, 0U);
    EXPECT_EQ(report->unreachable, 0U) << script;
}

INSTANTIATE_TEST_SUITE_P(All, FaultSoak,
                         ::testing::Combine(::testing::ValuesIn(profiles),
                                            ::testing::ValuesIn(seeds)),
                         [](const auto& each) {
                             std::string name = std::get<0>(each.param);
                             std::erase(name, '-');
                             return fmt::format("{}_{}", name, std::get<1>(each.param));
                         });

}  // namespace
}  // namespace railyard::model
