#include "interconnects/real/iwarp/hello.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "interconnects/real/iwarp/support.hpp"

namespace railyard::iwarp {
namespace {

using namespace testing;
using State = SimultaneousOpen::State;

TEST(Hello, ComesBackFromItsBytes) {
    Hello hello{.kind = Hello::Kind::peer,
                .refusal = Hello::Refusal::collision,
                .port = 7471,
                .target = 0x1122334455667788,
                .ask = {.nonce = 99}};
    hello.ask.nic.fill(std::byte{0xab});
    Buffer bytes(Hello::size + 5);
    hello.write(bytes.data());
    EXPECT_EQ(Hello::read_from(bytes), hello);
    EXPECT_FALSE(Hello::read_from(std::span(bytes).first(Hello::size - 1)));
    for (const std::size_t at : {0, 3, 4, 5}) {  // magic, version, kind, refusal
        Buffer other = bytes;
        other[at] ^= std::byte{0x7f};
        EXPECT_FALSE(Hello::read_from(other)) << at;
    }
}

/// Two sides and what is on its way between them; TCP connections do not keep each other's order.
struct World {
    struct Message {
        enum class Kind { wants, request, accepted, refused, closed } kind;
        int to;
    };
    SimultaneousOpen sides[2] = {SimultaneousOpen({.nonce = 1}), SimultaneousOpen({.nonce = 2})};
    std::vector<Message> under_way = {{Message::Kind::wants, 0}, {Message::Kind::wants, 1}};

    void act(SimultaneousOpen::Step step, int side, bool was_asking) {
        const int other = 1 - side;
        switch (step) {
            case SimultaneousOpen::Step::connect:
                under_way.push_back({Message::Kind::request, other});
                break;
            case SimultaneousOpen::Step::accept_theirs:
                under_way.push_back({Message::Kind::accepted, other});
                if (was_asking) under_way.push_back({Message::Kind::closed, other});
                break;
            case SimultaneousOpen::Step::refuse_theirs:
                under_way.push_back({Message::Kind::refused, other});
                break;
            case SimultaneousOpen::Step::hold_theirs:
            case SimultaneousOpen::Step::nothing:
                break;
        }
    }
    void arrive(std::size_t i) {
        const Message m = under_way[i];
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(i));
        SimultaneousOpen& side = sides[m.to];
        const bool was_asking = side.state() == State::asking;
        switch (m.kind) {
            case Message::Kind::wants:
                return act(side.want(), m.to, was_asking);
            case Message::Kind::request:
                return act(side.asked(sides[1 - m.to].ours()), m.to, was_asking);
            case Message::Kind::accepted:
                return side.accepted();
            case Message::Kind::refused:
                return side.refused(Hello::Refusal::collision);
            case Message::Kind::closed:
                return side.withdrawn();
        }
    }
};

int explore(const World& world, const std::string& way) {
    if (world.under_way.empty()) {
        for (const SimultaneousOpen& side : world.sides)
            EXPECT_EQ(side.state(), State::connected) << way;
        EXPECT_NE(world.sides[0].by_own_ask(), world.sides[1].by_own_ask()) << way;
        return 1;
    }
    int ways = 0;
    for (std::size_t i = 0; i < world.under_way.size(); ++i) {
        World next = world;
        const World::Message& m = world.under_way[i];
        next.arrive(i);
        ways += explore(next, way + " " + std::to_string(static_cast<int>(m.kind)) + ">" +
                                  std::to_string(m.to));
    }
    return ways;
}

TEST(SimultaneousOpen, EveryOrderOfEventsGivesOneConnection) {
    EXPECT_GT(explore({}, ""), 20);
}

TEST(SimultaneousOpen, ARequestIsHeldUntilItIsWanted) {
    SimultaneousOpen machine({.nonce = 1});
    EXPECT_EQ(machine.asked({.nonce = 2}), SimultaneousOpen::Step::hold_theirs);
    EXPECT_EQ(machine.asked({.nonce = 3}), SimultaneousOpen::Step::refuse_theirs);
    machine.withdrawn();
    EXPECT_EQ(machine.state(), State::idle);
    EXPECT_EQ(machine.asked({.nonce = 4}), SimultaneousOpen::Step::hold_theirs);
    EXPECT_EQ(machine.want(), SimultaneousOpen::Step::accept_theirs);
    EXPECT_EQ(machine.state(), State::connected);
    EXPECT_FALSE(machine.by_own_ask());
    EXPECT_EQ(machine.asked({.nonce = 5}), SimultaneousOpen::Step::refuse_theirs);
    EXPECT_EQ(machine.want(), SimultaneousOpen::Step::nothing);
}

TEST(SimultaneousOpen, ARefusalByTheUserIsTheEnd) {
    SimultaneousOpen machine({.nonce = 1});
    EXPECT_EQ(machine.want(), SimultaneousOpen::Step::connect);
    machine.refused(Hello::Refusal::by_user);
    EXPECT_EQ(machine.state(), State::failed);
}

}  // namespace
}  // namespace railyard::iwarp
