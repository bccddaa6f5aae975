/// Order, and the flags that bear on it: completions in the order of posting (IB-2), unsignalled,
/// fence, completion at the peer.

#include <algorithm>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Flags;
using fabric::Op;
using fabric::Slice;
using fabric::WorkRequest;
using namespace railyard::literals;

class Order : public Contract {};

/// Long and short, slow and fast requests in turn: a short one behind a long one, and a write
/// behind a read, would like to overtake.
TEST_P(Order, completions_come_in_the_order_of_posting) {
    const int turns = rounds(8);
    run(2, [=](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        constexpr std::size_t size = 256 << 10;
        Buffer out(team.nic(), size), in(team.nic(), size), target(team.nic(), size, Memory::nic);
        Buffer olds(team.nic(), 64);
        const auto remote = team.swap(target.region());
        const fabric::RemoteSlice there = Buffer::at(*remote);
        std::uint64_t expected = 0, arrived = 0;
        for (int turn = 0; turn < turns; ++turn) {
            for (std::uint64_t i = 0; i < 4; ++i)
                end.receive(arrived + i, in.slice());
            team.barrier();
            std::uint64_t id = expected;
            end.read(id++, in.slice(), there);
            end.write(id++, out.slice(0, 8), there);
            end.send(id++, out.slice());
            end.send(id++, out.slice(0, 1));
            end.fetch_add(id++, olds.slice(0, 8), there, 1);
            end.write(id++, out.slice(), there);
            if (team.traits().write_immediate)
                end.write_imm(id++, out.slice(0, 0), there, 1);
            else
                end.send(id++, out.slice(0, 0));
            end.compare_swap(id++, olds.slice(8, 8), there, 0, 1);
            end.read(id++, in.slice(0, 16), there);
            end.send(id++, out.slice(0, 4096));
            while (expected < id)
                end.expect_sent(expected++);
            for (const std::size_t n : {size, std::size_t{1}, std::size_t{0}, std::size_t{4096}})
                end.expect_received(arrived++, n);
            team.barrier();
        }
    });
}

TEST_P(Order, several_completions_taken_in_one_poll_are_in_order) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        constexpr std::uint64_t count = 60;
        for (std::uint64_t i = 0; i < count; ++i)
            end.receive(i);
        team.barrier();
        for (std::uint64_t i = 0; i < count; ++i)
            end.post({.id = i});
        for (fabric::CompletionQueue* queue : {&end.sent_queue(), &end.received_queue()}) {
            std::vector<fabric::Completion> found(count);
            std::size_t taken = 0;
            team.await(
                [&] {
                    // Seven at a time, to cross every boundary that a queue may have inside.
                    std::size_t got = 0;
                    do {
                        const std::size_t most = std::min<std::size_t>(7, count - taken);
                        got = queue->poll(std::span(found).subspan(taken, most));
                        taken += got;
                    } while (got > 0 && taken < count);
                    return taken == count;
                },
                "all completions");
            for (std::uint64_t i = 0; i < count; ++i) {
                check_equal(found[i].id, i, "id");
                check_equal(found[i].status, Code::ok, "status");
            }
        }
        team.barrier();
    });
}

TEST_P(Order, unsignalled_requests_leave_no_completion) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer out(team.nic(), 64), in(team.nic(), 64);
        Word word(team.nic(), 0);
        const auto remote = team.swap(in.region());
        const auto remote_word = team.swap(word.region());
        for (std::uint64_t id : {1, 2, 3})
            end.receive(id);
        team.barrier();
        end.post({.id = 1, .flags = Flags::unsignalled});
        end.write(2, out.slice(), Buffer::at(*remote), Flags::unsignalled);
        const std::size_t told = team.traits().write_immediate ? 64 : 0;
        if (told > 0)
            end.write_imm(3, out.slice(), Buffer::at(*remote), 7, Flags::unsignalled);
        else
            end.send_imm(3, out.slice(0, 0), 7, Flags::unsignalled);
        end.read(4, out.slice(), Buffer::at(*remote), Flags::unsignalled);
        end.fetch_add(5, out.slice(0, 8), Buffer::at(*remote_word), 1, Flags::unsignalled);
        end.post({.id = 6});
        end.expect_sent(6);
        end.expect_received(1, 0);
        end.expect_received_imm(2, told, 7);
        end.expect_received(3, 0);
        end.expect_silence(1_ms);
        team.barrier();
        check_equal(word.get(), 1, "the unsignalled addition");
        team.barrier();
    });
}

/// A fenced send of what a read brings: the canonical use.
TEST_P(Order, fence_waits_for_earlier_reads) {
    const int turns = rounds(40);
    run(2, [=](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        for (const std::size_t n : {8, 5000, 300'000}) {
            Buffer source(team.nic(), n), between(team.nic(), n), in(team.nic(), n);
            const auto remote = team.swap(source.region());
            for (int turn = 0; turn < turns; ++turn) {
                const std::uint64_t round = static_cast<std::uint64_t>(turn);
                source.fill(seed_of(team.id(), round));
                between.blank();
                in.blank();
                end.receive(round, in.slice());
                team.barrier();
                end.read(1, between.slice(), Buffer::at(*remote), Flags::unsignalled);
                end.send(2, between.slice(), Flags::fence);
                end.expect_sent(2);
                end.expect_received(round, n);
                // What the peer read from here, and sent back.
                in.check(n, seed_of(team.id(), round), "a fenced send");
                team.barrier();
            }
        }
    });
}

TEST_P(Order, a_fenced_write_does_not_change_what_an_earlier_read_finds) {
    const int turns = rounds(40);
    run(2, [=](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        constexpr std::size_t n = 100'000;
        Buffer target(team.nic(), n), fresh(team.nic(), n), found(team.nic(), n);
        const auto remote = team.swap(target.region());
        for (int turn = 0; turn < turns; ++turn) {
            const std::uint64_t round = static_cast<std::uint64_t>(turn);
            target.fill(seed_of(team.id(), 2 * round));
            fresh.fill(seed_of(team.id(), 2 * round + 1));
            team.barrier();
            end.read(1, found.slice(), Buffer::at(*remote), Flags::unsignalled);
            end.write(2, fresh.slice(), Buffer::at(*remote),
                      Flags::fence | Flags::remote_completion);
            end.expect_sent(2);
            found.check(n, seed_of(team.peer(), 2 * round), "what was there before the write");
            team.barrier();
            target.check(n, seed_of(team.peer(), 2 * round + 1), "the fenced write");
            team.barrier();
        }
    });
}

TEST_P(Order, a_fenced_write_follows_an_atomic) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Word target(team.nic(), 0), old(team.nic(), 0), fresh(team.nic(), 0);
        const auto remote = team.swap(target.region());
        for (std::uint64_t round = 1; round <= 50; ++round) {
            target.set(round);
            fresh.set(1000 * round);
            team.barrier();
            end.fetch_add(1, old.slice(), Buffer::at(*remote), 7);
            end.write(2, fresh.slice(), Buffer::at(*remote),
                      Flags::fence | Flags::remote_completion);
            end.expect_sent(1);
            end.expect_sent(2);
            check_equal(old.get(), round, "the old value");
            team.barrier();
            check_equal(target.get(), 1000 * round, "the value written after the addition");
            team.barrier();
        }
    });
}

/// IB-1 seen from the flag: done at the peer means that a receive took it.
TEST_P(Order, a_send_completed_at_the_peer_waits_for_its_receive) {
    if (!traits().waits_for_receives) GTEST_SKIP() << "messages do not wait for receives here";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer data(team.nic(), 70'000);
        for (const std::size_t n : {0, 8, 70'000}) {
            data.fill(seed_of(team.id(), n));
            if (team.id() == sender) {
                end.send(n, data.slice(0, n), Flags::remote_completion);
                end.expect_silence(5_ms);
            }
            team.barrier();
            if (team.id() == receiver) {
                end.receive(n, data.slice(0, n));
                end.expect_received(n, n);
                check_pattern(data.data(0, n), seed_of(sender, n), "the message");
            } else {
                end.expect_sent(n);
            }
            team.barrier();
        }
    });
}

/// The completion itself is the only news: the peer looks into its memory once it is told so by a
/// way that orders nothing, the control line.
TEST_P(Order, a_write_completed_at_the_peer_is_in_place) {
    const int turns = rounds(40);
    run(2, [=](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        for (const Memory memory : memories) {
            Buffer out(team.nic(), 100'000), in(team.nic(), 100'000, memory);
            const auto remote = team.swap(in.region());
            for (int turn = 0; turn < turns; ++turn) {
                const std::uint64_t round = static_cast<std::uint64_t>(turn);
                const std::size_t n = turn % 2 == 0 ? 100'000 : 8;
                out.fill(seed_of(team.id(), round), n);
                in.blank(n);
                team.barrier();
                end.write(round, out.slice(0, n), Buffer::at(*remote), Flags::remote_completion);
                end.expect_sent(round);
                team.barrier();
                in.check(n, seed_of(team.peer(), round), "a write done at the peer");
                team.barrier();
            }
        }
    });
}

/// "When a receive completes, every earlier write of the same queue pair is in place."
TEST_P(Order, a_receive_tells_that_earlier_writes_are_in_place) {
    const int turns = rounds(60);
    run(2, [=](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        for (const Memory memory : memories) {
            Buffer out(team.nic(), 200'000), in(team.nic(), 200'000, memory);
            const auto remote = team.swap(in.region());
            for (int turn = 0; turn < turns; ++turn) {
                const std::uint64_t round = static_cast<std::uint64_t>(turn);
                const std::size_t n = turn % 3 == 0 ? 200'000 : turn % 3 == 1 ? 5000 : 16;
                out.fill(seed_of(team.id(), round), n);
                in.blank(n);
                end.receive(round);
                team.barrier();
                end.write(1, out.slice(0, n), Buffer::at(*remote), Flags::unsignalled);
                if (turn % 2 == 1 && team.traits().write_immediate)
                    end.write_imm(2, out.slice(0, 0), Buffer::at(*remote), 9);
                else
                    end.post({.id = 2});
                end.expect_received(round, 0);
                in.check(n, seed_of(team.peer(), round), "a write before a message");
                end.expect_sent(2);
                team.barrier();
            }
        }
    });
}

RAILYARD_CONTRACT(Order);

}  // namespace
}  // namespace railyard::contract
