/// Where a Nic has several ports: each carries everything, regions are reached through all of them,
/// and none of them minds what becomes of another's connections.

#include <deque>
#include <memory>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Flags;
using namespace railyard::literals;

class Ports : public Contract {
  protected:
    void SetUp() override {
        if (traits().ports < 2) GTEST_SKIP() << "there is one port on this fabric";
    }
};

/// An endpoint on each port, connected to the peer's on the same.
std::deque<Endpoint> connected_on_all(Team& team) {
    std::deque<Endpoint> ends;
    for (unsigned port = 0; port < team.traits().ports; ++port) {
        ends.emplace_back(team, EndpointOptions{.port = port});
        ends.back().connect(team.peer());
    }
    return ends;
}

TEST_P(Ports, each_carries_every_kind_of_request) {
    run(2, [](Team& team) {
        constexpr std::size_t sizes[] = {1, 100, 3000, 200'000};
        std::deque<Endpoint> ends = connected_on_all(team);
        const Buffer buffer(team.nic(), sizes[3]);
        const auto remote = team.swap(buffer.region());
        std::uint64_t seed = 0;
        for (Endpoint& end : ends)
            for (const std::size_t size : sizes) {
                seed += 2;
                if (team.id() == receiver) buffer.blank(size);
                if (team.id() == receiver) end.receive(1, buffer.slice(0, size));
                team.barrier();
                if (team.id() == sender) {
                    buffer.fill(seed, size);
                    end.send(1, buffer.slice(0, size));
                    end.expect_sent(1);
                } else {
                    end.expect_received(1, size);
                    buffer.check(size, seed, "what was sent");
                }
                team.barrier();
                if (team.id() == sender) {
                    buffer.fill(seed + 1, size);
                    end.write(2, buffer.slice(0, size), Buffer::at(*remote),
                              Flags::remote_completion);
                    end.expect_sent(2);
                    buffer.blank(size);
                    end.read(3, buffer.slice(0, size), Buffer::at(*remote));
                    end.expect_sent(3);
                    buffer.check(size, seed + 1, "what was written is read");
                }
                team.barrier();
            }
    });
}

/// As MPI does with a large message (rails).
TEST_P(Ports, one_message_goes_in_parts_over_all) {
    run(2, [](Team& team) {
        std::deque<Endpoint> ends = connected_on_all(team);
        constexpr std::size_t size = 400'000;
        const Buffer buffer(team.nic(), size);
        const auto remote = team.swap(buffer.region());
        const std::size_t part = size / ends.size();
        for (std::uint64_t round = 0; round < 4; ++round) {
            if (team.id() == receiver) buffer.blank(part * ends.size());
            team.barrier();
            if (team.id() == sender) {
                buffer.fill(round);
                for (std::size_t port = 0; port < ends.size(); ++port)
                    ends[port].write(round, buffer.slice(port * part, part),
                                     Buffer::at(*remote, port * part), Flags::remote_completion);
                for (Endpoint& end : ends)
                    end.expect_sent(round);
            }
            team.barrier();
            if (team.id() == receiver)
                buffer.check(part * ends.size(), round, "all parts have come");
        }
        team.barrier();
    });
}

/// Who is asked goes where the other asks.
TEST_P(Ports, sides_that_name_different_ports_connect) {
    run(2, [](Team& team) {
        Endpoint end(team, {.port = team.id() == sender ? 0U : 1U});
        end.connect(team.peer());
        constexpr std::size_t size = 100'000;
        const Buffer mine(team.nic(), size), theirs(team.nic(), size);
        const auto remote = team.swap(theirs.region());
        mine.fill(seed_of(team.id(), 1));
        theirs.blank();
        team.barrier();
        end.write(1, mine.slice(), Buffer::at(*remote), Flags::remote_completion);
        end.expect_sent(1);
        team.barrier();
        theirs.check(size, seed_of(team.peer(), 1), "what the other has written");
        team.barrier();
    });
}

TEST_P(Ports, a_connection_that_fails_leaves_those_of_others) {
    run(2, [](Team& team) {
        std::deque<Endpoint> ends = connected_on_all(team);
        const Buffer buffer(team.nic(), 64);
        const auto remote = team.swap(buffer.region());
        if (team.id() == sender) {
            ends[0].write(1, buffer.slice(), Buffer::at(*remote, 2 * Buffer::guard));
            ends[0].expect_sent(1, Code::out_of_bounds);
            ends[1].write(2, buffer.slice(), Buffer::at(*remote), Flags::remote_completion);
            ends[1].expect_sent(2);
        }
        team.barrier();
    });
}

TEST_P(Ports, a_region_that_ends_is_gone_on_all) {
    run(2, [](Team& team) {
        std::deque<Endpoint> ends = connected_on_all(team);
        constexpr std::size_t size = 100'000;
        const Buffer mine(team.nic(), size);
        auto shown = std::make_unique<Buffer>(team.nic(), size);
        const auto remote = team.swap(shown->region());
        shown.reset();
        team.barrier();
        if (team.id() == sender)
            for (Endpoint& end : ends) {
                end.write(1, mine.slice(), Buffer::at(*remote), Flags::remote_completion);
                end.expect_sent(1, Code::region_gone);
            }
        team.barrier();
    });
}

RAILYARD_CONTRACT(Ports);

}  // namespace
}  // namespace railyard::contract
