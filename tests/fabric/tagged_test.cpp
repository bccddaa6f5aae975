/// Tagged ports: messages of every size, expected or not, by bits, mask and sender, and what ends
/// them (TP-1 to TP-5, MX-1, MX-2).

#include <utility>

#include "fabric/endpoint.hpp"
#include "fabric/tagged.hpp"

namespace railyard::contract {
namespace {

using fabric::MatchBits;
using fabric::TaggedCompletion;
using Data = Tagged::Data;
using namespace railyard::literals;

class TaggedPorts : public TaggedContract {};

/// TP-1, TP-4: with a receive posted, and without.
TEST_P(TaggedPorts, messages_of_every_size_expected_and_not) {
    run(2, [](Team& team) {
        Tagged port(team);
        std::uint64_t round = 0;
        for (const bool expected : {true, false})
            for (const bool synchronous : {false, true})
                for (const std::size_t size : tagged_sizes) {
                    ++round;
                    const Data out = tagged_data(size, sender, round);
                    Data in(size + 16, Buffer::untouched);
                    if (expected && team.id() == receiver) port.receive(round, sender, 7, in);
                    team.barrier();
                    if (team.id() == sender) {
                        port.send(round, receiver, 7, out, synchronous);
                        port.expect_sent(round);
                    } else {
                        if (!expected) {
                            check_equal(port.await_probe(sender, 7).length, Bytes(size),
                                        "length of an unexpected message");
                            port.receive(round, sender, 7, in);
                        }
                        port.expect_received(round, sender, 7, size);
                        check_pattern(std::span(in).first(size), seed_of(sender, round), "data");
                        for (std::size_t i = size; i < in.size(); ++i)
                            check_equal(in[i], Buffer::untouched, "a byte behind the message");
                    }
                }
    });
}

TEST_P(TaggedPorts, all_ranks_on_one_node_and_on_several) {
    const auto each_to_each = [](Team& team) {
        Tagged port(team);
        const auto bits = [&](int from, int to) { return MatchBits(from * 100 + to); };
        for (const std::size_t size : {surely_eager, surely_large}) {
            const Data out = tagged_data(size, team.id(), 1);
            std::vector<Data> in(static_cast<std::size_t>(team.size()), Data(size));
            for (int from = 0; from < team.size(); ++from)
                port.receive(1, from, bits(from, team.id()), in[static_cast<std::size_t>(from)]);
            for (int to = 0; to < team.size(); ++to)
                port.send(2, to, bits(team.id(), to), out);
            for (int i = 0; i < team.size(); ++i) {
                check_equal(port.next_received().status, Code::ok, "received");
                port.expect_sent(2);
            }
            for (int from = 0; from < team.size(); ++from)
                check_pattern(in[static_cast<std::size_t>(from)], seed_of(from, 1), "data");
        }
        team.barrier();
    };
    run_on({0, 0}, each_to_each);
    if (traits().crosses_nodes) run_on({0, 1, 0, 1}, each_to_each);
}

TEST_P(TaggedPorts, a_message_to_oneself) {
    run(1, [](Team& team) {
        Tagged port(team);
        for (const std::size_t size : {surely_eager, surely_large})
            for (const bool expected : {true, false}) {
                const Data out = tagged_data(size, 0, size);
                Data in(size);
                if (expected) port.receive(1, 0, 7, in);
                port.send(2, 0, 7, out);
                if (!expected) port.receive(1, anybody, 7, in);
                port.expect_received(1, 0, 7, size);
                port.expect_sent(2);
                check_pattern(in, seed_of(0, size), "data");
            }
    });
}

/// TP-2: by bits under a mask.
TEST_P(TaggedPorts, masks_say_which_bits_count) {
    run(2, [](Team& team) {
        Tagged port(team);
        constexpr MatchBits first = 0x1111'0000'0000'00aa;
        constexpr MatchBits second = 0x2222'0000'0000'00aa;
        constexpr MatchBits third = 0x2222'0000'0000'00bb;
        if (team.id() == sender) {
            const Data out(8);
            for (const MatchBits bits : {first, second, third})
                port.send(bits, receiver, bits, out);
            for (int i = 0; i < 3; ++i)
                check_equal(port.next_sent().status, Code::ok, "sent");
        } else {
            port.await_probe(sender, third);
            Data in(8);
            port.receive(1, sender, 0xffff'ffff'ffff'ffbb, in, 0xff);
            port.expect_received(1, sender, third, 8);
            port.receive(2, sender, 0x2222'0000'0000'0000, in, MatchBits{0xffff} << 48);
            port.expect_received(2, sender, second, 8);
            port.receive(3, sender, 0xdddd, in, 0);
            port.expect_received(3, sender, first, 8);
        }
        team.barrier();
    });
}

/// TP-2: by sender, or not.
TEST_P(TaggedPorts, one_sender_or_any) {
    run(4, [](Team& team) {
        Tagged port(team);
        const Data out = tagged_data(64, team.id(), 1);
        if (team.id() != 0) {
            port.send(1, 0, 7, out);
            port.expect_sent(1);
        } else {
            Data in(64);
            port.receive(1, 2, 7, in);
            port.expect_received(1, 2, 7, 64);
            check_pattern(in, seed_of(2, 1), "data of the one asked for");
            std::vector<int> seen(4);
            for (int i = 0; i < 2; ++i) {
                port.receive(2, anybody, 7, in);
                const TaggedCompletion found = port.next_received();
                for (const int from : {1, 3})
                    if (found.peer == port.peer(from)) {
                        check_pattern(in, seed_of(from, 1), "data of whoever sent");
                        ++seen[static_cast<std::size_t>(from)];
                    }
            }
            check(seen == std::vector<int>{0, 1, 0, 1}, "each of the others once");
        }
        team.barrier();
    });
}

TEST_P(TaggedPorts, a_message_cut_to_its_buffer) {
    run(2, [](Team& team) {
        Tagged port(team);
        for (const std::size_t size : {surely_eager, surely_large})
            for (const bool expected : {true, false}) {
                const Data out = tagged_data(size, sender, 3);
                Data in(size, Buffer::untouched);
                const std::size_t room = size / 2 + 1;
                if (expected && team.id() == receiver)
                    port.receive(1, sender, 7, std::span(in).first(room));
                team.barrier();
                if (team.id() == sender) {
                    port.send(2, receiver, 7, out);
                    port.expect_sent(2);
                    continue;
                }
                if (!expected) {
                    port.await_probe(sender, 7);
                    port.receive(1, sender, 7, std::span(in).first(room));
                }
                port.expect_received(1, sender, 7, size, Code::too_long);
                check(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(room),
                                 in.begin()),
                      "what there is room for");
                check_equal(in[room], Buffer::untouched, "the byte behind the buffer");
            }
    });
}

/// TP-4: without a receive, its sender is free nevertheless.
TEST_P(TaggedPorts, a_small_send_completes_without_a_receive) {
    run(2, [](Team& team) {
        Tagged port(team);
        Data data = tagged_data(surely_eager, sender, 1);
        if (team.id() == sender) {
            port.send(1, receiver, 7, data);
            port.expect_sent(1);
            std::fill(data.begin(), data.end(), std::byte{0});
        }
        team.barrier();
        if (team.id() == receiver) {
            Data in(surely_eager);
            port.receive(1, sender, 7, in);
            port.expect_received(1, sender, 7, surely_eager);
            check_pattern(in, seed_of(sender, 1), "data as they were sent");
        }
        team.barrier();
    });
}

/// TP-3
TEST_P(TaggedPorts, a_synchronous_send_completes_once_it_has_matched) {
    run(2, [](Team& team) {
        Tagged port(team);
        for (const std::size_t size : {std::size_t{0}, surely_eager, surely_large}) {
            const Data out = tagged_data(size, sender, size);
            Data in(size);
            if (team.id() == sender) {
                port.send(1, receiver, 7, out, true);
                port.expect_nothing(2_ms);
                team.barrier();
                port.expect_sent(1);
            } else {
                port.await_probe(sender, 7);
                team.barrier();
                port.receive(2, sender, 7, in);
                port.expect_received(2, sender, 7, size);
                check_pattern(in, seed_of(sender, size), "data");
            }
        }
    });
}

TEST_P(TaggedPorts, a_probe_tells_of_the_first_and_leaves_it) {
    run(2, [](Team& team) {
        Tagged port(team);
        check(!port.port().probe(fabric::any_peer, 0, 0).has_value(), "nothing is there");
        team.barrier();
        const Data large = tagged_data(surely_large, sender, 1), small(8);
        if (team.id() == sender) {
            port.send(1, receiver, 7, large);
            port.send(2, receiver, 7, small);
            port.send(3, receiver, 8, small);
            for (int i = 0; i < 3; ++i)
                check_equal(port.next_sent().status, Code::ok, "sent");
        } else {
            port.await_probe(anybody, 8);
            for (int twice = 0; twice < 2; ++twice) {
                const TaggedCompletion found = port.await_probe(anybody, 0, 0);
                check_equal(found.peer, port.peer(sender), "its sender");
                check_equal(found.bits, MatchBits{7}, "its bits");
                check_equal(found.length, Bytes(surely_large), "its length");
                check(found.receive && found.status.ok(), "as a receive would find it");
            }
            check(!port.port().probe(port.peer(receiver), 7, every_bit), "not of that sender");
            Data in(surely_large);
            port.receive(1, sender, 7, in);
            port.expect_received(1, sender, 7, surely_large);
            check_equal(port.await_probe(sender, 7).length, 8_B, "the next one");
            port.receive(2, sender, 7, in);
            port.receive(3, sender, 8, in);
            port.expect_received(2, sender, 7, 8);
            port.expect_received(3, sender, 8, 8);
            check(!port.port().probe(fabric::any_peer, 0, 0).has_value(), "all are taken");
        }
        team.barrier();
    });
}

TEST_P(TaggedPorts, a_cancelled_receive_takes_no_message) {
    run(2, [](Team& team) {
        Tagged port(team);
        const Data out = tagged_data(64, sender, 1);
        Data in(64), other(64, Buffer::untouched);
        if (team.id() == receiver) {
            check(!port.port().cancel(1), "there is no such receive");
            port.receive(1, sender, 7, other);
            port.receive(2, sender, 7, in);
            check(port.port().cancel(1), "it has not matched");
            check(!port.port().cancel(1), "it is cancelled already");
            const TaggedCompletion cancelled = port.next_received();
            check_equal(cancelled.id, std::uint64_t{1}, "the cancelled one's id");
            check(cancelled.cancelled, "it says so");
            team.barrier();
            port.expect_received(2, sender, 7, 64);
            check(!port.port().cancel(2), "it has got its message");
            check_pattern(in, seed_of(sender, 1), "data");
            check_equal(other.front(), Buffer::untouched, "the cancelled one's buffer");
        } else {
            team.barrier();
            port.send(1, receiver, 7, out);
            port.expect_sent(1);
        }
        team.barrier();
    });
}

/// Whatever the moment: a send either reached its receive or was taken back, and then nobody gets
/// it. What follows it matches as if it had never been.
TEST_P(TaggedPorts, a_send_is_taken_back_or_received) {
    const int turns = rounds(200);
    run(2, [=](Team& team) {
        Tagged port(team);
        constexpr fabric::MatchBits tell = 1'000'000;
        for (int turn = 0; turn < turns; ++turn) {
            const auto round = static_cast<std::uint64_t>(turn);
            const Data out = tagged_data(surely_large, sender, round);
            const Data next = tagged_data(64, sender, round + 1);
            Data first(surely_large), second(surely_large);
            team.barrier();
            if (team.id() == sender) {
                port.port().cancel_send(1);  // there is none
                port.send(1, receiver, round, out);
                team.pause(Duration::ns(turn % 5 * 700));
                port.port().cancel_send(1);
                const bool gone = port.next_sent().cancelled;
                port.send(2, receiver, round, next);
                port.expect_sent(2);
                const Data word(1, std::byte{static_cast<unsigned char>(gone ? 1 : 0)});
                port.send(3, receiver, tell, word);
                port.expect_sent(3);
                continue;
            }
            Data word(1);
            team.pause(Duration::ns(turn % 11 * 300));
            port.receive(1, sender, round, first);
            port.receive(3, sender, tell, word);
            // A port may tell of the word before it tells of what was sent, and matched, first.
            TaggedCompletion got = port.next_received(), told = port.next_received();
            if (got.id == 3) std::swap(got, told);
            check_equal(got.id, std::uint64_t{1}, "the first receive");
            check_equal(got.status, Code::ok, "the first receive");
            check_equal(told.id, std::uint64_t{3}, "the word");
            check_equal(told.bits, tell, "the word");
            if (got.length == Bytes(surely_large)) {
                check_pattern(first, seed_of(sender, round), "data");
                check_equal(word.front(), std::byte{0}, "it was not taken back");
                port.receive(2, sender, round, second);
                port.expect_received(2, sender, round, 64);
                check_pattern(std::span(second).first(64), seed_of(sender, round + 1), "data");
            } else {
                check_equal(got.length, Bytes(64), "length of what came instead");
                check_pattern(std::span(first).first(64), seed_of(sender, round + 1), "data");
                check_equal(word.front(), std::byte{1}, "it was taken back");
            }
        }
    });
}

/// Whatever the moment: a receive either got its message or was cancelled, and a message that it
/// did not get is there for the next.
TEST_P(TaggedPorts, cancelling_while_the_message_comes) {
    const int turns = rounds(200);
    run(2, [=](Team& team) {
        Tagged port(team);
        for (int turn = 0; turn < turns; ++turn) {
            const auto round = static_cast<std::uint64_t>(turn);
            const std::size_t size = turn % 2 == 0 ? surely_eager : surely_large;
            const Data out = tagged_data(size, sender, round);
            Data first(size), second(size);
            if (team.id() == receiver) port.receive(1, sender, round, first);
            team.barrier();
            if (team.id() == sender) {
                port.send(1, receiver, round, out);
                port.expect_sent(1);
                continue;
            }
            team.pause(Duration::ns(turn * 20));
            const bool cancelled = port.port().cancel(1);
            check_equal(port.next_received().cancelled, cancelled, "as the call said");
            if (cancelled) {
                port.receive(2, sender, round, second);
                port.expect_received(2, sender, round, size);
            }
            check_pattern(cancelled ? second : first, seed_of(sender, round), "data");
        }
    });
}

TEST_P(TaggedPorts, peers_keep_their_numbers) {
    run(3, [](Team& team) {
        Tagged port(team);
        for (int rank = 0; rank < team.size(); ++rank) {
            check_equal(port.port().peer(team.address(rank)), port.peer(rank), "asked again");
            for (int other = 0; other < rank; ++other)
                check(port.peer(rank) != port.peer(other), "no two have the same");
        }
        bool refused = false;
        try {
            port.port().peer(fabric::Address{});
        } catch (const Error&) {
            refused = true;
        }
        check(refused, "an address of nobody is refused");
        team.barrier();
    });
}

RAILYARD_CONTRACT(TaggedPorts);

}  // namespace
}  // namespace railyard::contract
