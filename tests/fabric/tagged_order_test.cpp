/// Tagged ports: who matches whom when there are many (TP-7, MX-1), whose work it is (MX-4), and
/// what becomes of messages when a side goes.

#include "fabric/endpoint.hpp"
#include "fabric/tagged.hpp"

namespace railyard::contract {
namespace {

using fabric::MatchBits;
using fabric::TaggedCompletion;
using Data = Tagged::Data;
using namespace railyard::literals;

class TaggedOrder : public TaggedContract {};

/// TP-7: also where a small message could overtake a large one.
TEST_P(TaggedOrder, messages_of_one_sender_match_in_order_whatever_their_size) {
    run(2, [](Team& team) {
        Tagged port(team);
        constexpr std::size_t count = 40;
        const auto size_of = [](std::size_t i) {
            return i % 3 == 0 ? surely_large + i : i % 3 == 1 ? surely_eager - i : 5000 + i;
        };
        for (const bool expected : {true, false}) {
            std::vector<Data> out, in;
            for (std::size_t i = 0; i < count; ++i) {
                out.push_back(tagged_data(size_of(i), sender, i));
                in.emplace_back(surely_large + count);
            }
            const auto post = [&] {
                for (std::size_t i = 0; i < count; ++i)
                    port.receive(i, i % 2 == 0 ? sender : anybody, 7, in[i]);
            };
            if (expected && team.id() == receiver) post();
            team.barrier();
            if (team.id() == sender) {
                for (std::size_t i = 0; i < count; ++i)
                    port.send(i, receiver, 7, out[i], i % 5 == 0);
                for (std::size_t i = 0; i < count; ++i)
                    check_equal(port.next_sent().status, Code::ok, "sent");
                team.barrier();
                continue;
            }
            if (!expected) {
                port.await_probe(sender, 7);
                post();
            }
            for (std::size_t i = 0; i < count; ++i) {
                const TaggedCompletion found = port.next_received();
                check_equal(found.length, Bytes(size_of(found.id)), "length of a message in order");
                check_pattern(std::span(in.at(found.id)).first(size_of(found.id)),
                              seed_of(sender, found.id), "data");
            }
            team.barrier();
        }
    });
}

TEST_P(TaggedOrder, the_oldest_receive_that_fits_is_taken) {
    run(2, [](Team& team) {
        Tagged port(team);
        std::vector<Data> in(5, Data(8));
        if (team.id() == receiver) {
            port.receive(0, sender, 9, in[0]);
            port.receive(1, anybody, 0, in[1], 0);  // fits all
            port.receive(2, sender, 7, in[2]);
            port.receive(3, anybody, 7, in[3]);
            port.receive(4, sender, 7, in[4], 0xf);
        }
        team.barrier();
        const std::uint64_t expected[] = {1, 2, 3, 4, 0};
        for (std::uint64_t i = 0; i < 5; ++i)
            if (team.id() == sender) {
                const Data out = tagged_data(8, sender, i);
                port.send(i, receiver, i == 4 ? 9 : 7, out);
                port.expect_sent(i);
            } else {
                port.expect_received(expected[i], sender, i == 4 ? 9 : 7, 8);
                check_pattern(in[expected[i]], seed_of(sender, i), "data");
            }
        team.barrier();
    });
}

TEST_P(TaggedOrder, many_at_once_both_ways_in_the_opposite_order) {
    const auto count = static_cast<std::size_t>(rounds(1000));
    run(2, [=](Team& team) {
        Tagged port(team);
        std::vector<Data> out, in;
        for (std::size_t i = 0; i < count; ++i) {
            out.push_back(tagged_data(i % 100 == 7 ? surely_large : i % 200, team.id(), i));
            in.emplace_back(out.back().size());
        }
        for (std::size_t i = 0; i < count / 2; ++i)
            port.receive(i, team.peer(), i, in[i]);
        team.barrier();
        for (std::size_t i = count; i-- > 0;)
            port.send(i, team.peer(), i, out[i]);
        for (std::size_t i = count; i-- > count / 2;)
            port.receive(i, anybody, i, in[i]);
        std::vector<int> ends(count);
        for (std::size_t i = 0; i < count; ++i) {
            const TaggedCompletion received = port.next_received();
            check_equal(received.bits, MatchBits{received.id}, "the message it asked for");
            check_equal(received.status, Code::ok, "received");
            ++ends.at(received.id);
            check_equal(port.next_sent().status, Code::ok, "sent");
        }
        check(ends == std::vector<int>(count, 1), "each once");
        for (std::size_t i = 0; i < count; ++i)
            check_pattern(in[i], seed_of(team.peer(), i), "data");
        team.barrier();
    });
}

/// MX-4: a large message needs the receiver's rank no more than a small one.
TEST_P(TaggedOrder, messages_move_while_both_ranks_compute) {
    if (traits().progress == fabric::Progress::calls || real())
        GTEST_SKIP() << "this fabric needs its ranks' help";
    run(2, [](Team& team) {
        Tagged port(team);
        const Data out = tagged_data(surely_large, team.id(), 1);
        Data in(surely_large);
        port.receive(1, team.peer(), 7, in);
        port.send(2, team.peer(), 7, out);
        team.host().compute(1_s);
        TaggedCompletion found[4];
        check_equal(port.port().poll(found), std::size_t{2}, "both are done at the first look");
        check_pattern(in, seed_of(team.peer(), 1), "data");
        team.barrier();
    });
}

TEST_P(TaggedOrder, each_nic_has_a_port_of_its_own) {
    run(2, [](Team& team) {
        const auto nic = team.open_another();
        Tagged first(team), second(team, *nic, team.gather(nic->address()));
        const Data out = tagged_data(64, team.id(), 1);
        Data in(64), other(64);
        first.receive(1, anybody, 7, other);
        second.receive(2, anybody, 7, in);
        second.send(3, team.peer(), 7, out);
        second.expect_received(2, team.peer(), 7, 64);
        second.expect_sent(3);
        first.expect_nothing(1_ms);
        check(first.port().cancel(1), "the other port's receive is still there");
        team.barrier();
    });
}

/// Also of those that wait there for a receive.
TEST_P(TaggedOrder, sends_to_a_nic_that_goes_are_told) {
    run(2, [](Team& team) {
        auto nic = team.open_another();
        Tagged port(team, *nic, team.gather(nic->address()));
        const Data large(surely_large), small(surely_eager);
        if (team.id() == sender) {
            port.send(1, receiver, 7, large);
            port.send(2, receiver, 7, small, true);
            port.expect_nothing(2_ms);
            team.barrier();
            port.expect_sent(1, Code::remote_closed);
            port.expect_sent(2, Code::remote_closed);
            team.barrier();
            port.send(3, receiver, 7, small);
            port.expect_sent(3, Code::remote_closed);
        } else {
            port.await_probe(sender, 7);
            team.barrier();
            nic.reset();
            team.barrier();
        }
        team.barrier();
    });
}

TEST_P(TaggedOrder, a_nic_goes_with_everything_open) {
    const int turns = rounds(100);
    run(2, [=](Team& team) {
        for (int turn = 0; turn < turns; ++turn) {
            auto nic = team.open_another();
            Tagged port(team, *nic, team.gather(nic->address()));
            std::vector<Data> out, in(20, Data(surely_large));
            for (std::size_t i = 0; i < in.size(); ++i) {
                out.push_back(tagged_data(i % 2 == 0 ? surely_eager : surely_large, 0, i));
                port.receive(i, i % 4 < 2 ? team.peer() : anybody, i, in[i]);
                port.send(i, team.peer(), i / 2, out[i], i % 3 == 0);
            }
            if (team.id() == turn % 2) team.pause(Duration::us(turn * 10));
            nic.reset();
            out.clear();
            in.clear();
            team.barrier();
        }
    });
}

RAILYARD_CONTRACT(TaggedOrder);

}  // namespace
}  // namespace railyard::contract
