/// Every operation, at every size, from and to both kinds of memory, one way, the other and both at
/// once: the right bytes arrive, and no other byte changes.

#include <array>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Flags;
using fabric::Op;
using fabric::RemoteRegion;
using fabric::Slice;
using namespace railyard::literals;

enum class Direction : std::uint8_t { up, down, both };
constexpr Direction directions[] = {Direction::up, Direction::down, Direction::both};

bool initiates(int rank, Direction direction) {
    return direction == Direction::both || (direction == Direction::up) == (rank == 0);
}

/// The two buffers of this rank and, of the peer's, the handles.
struct Exchange {
    Exchange(Team& team, std::size_t size, Memory source, Memory target)
        : out(team.nic(), size, source),
          in(team.nic(), size, target),
          peer_out(team.swap(out.region())),
          peer_in(team.swap(in.region())) {}
    Buffer out, in;
    std::unique_ptr<RemoteRegion> peer_out, peer_in;
};

constexpr std::uint64_t request_id = 0x1234'5678'9abc'def0;
constexpr std::uint64_t receive_id = 0x0fed'cba9'8765'4321;
constexpr std::uint32_t immediate = 0xdead'beef;

struct Operation {
    Op op;
    bool with_immediate = false;

    bool consumes_receive() const { return op == Op::send || op == Op::rdma_write_imm; }
    bool carries_immediate() const { return with_immediate || op == Op::rdma_write_imm; }

    void post(Endpoint& end, const Exchange& x, std::size_t n) const {
        const Slice from = x.out.slice(0, n);
        // What a receive does not report is complete when it is in place at the peer.
        const Flags placed = Flags::remote_completion;
        if (op == Op::send && with_immediate) end.send_imm(request_id, from, immediate);
        if (op == Op::send && !with_immediate) end.send(request_id, from);
        if (op == Op::rdma_write) end.write(request_id, from, Buffer::at(*x.peer_in), placed);
        if (op == Op::rdma_write_imm)
            end.write_imm(request_id, from, Buffer::at(*x.peer_in), immediate);
        if (op == Op::rdma_read) end.read(request_id, x.in.slice(0, n), Buffer::at(*x.peer_out));
    }

    void receive(Endpoint& end, const Exchange& x, std::size_t n) const {
        // A write with immediate takes a receive but leaves its memory alone.
        if (op == Op::send) end.receive(receive_id, x.in.slice(0, n));
        if (op == Op::rdma_write_imm) end.receive(receive_id);
    }

    void expect_arrival(Endpoint& end, std::size_t n) const {
        if (!consumes_receive()) return;
        if (carries_immediate()) return end.expect_received_imm(receive_id, n, immediate);
        check(!end.expect_received(receive_id, n).has_immediate, "no immediate value was sent");
    }
};

/// One transfer of `n` bytes. Every rank enters and leaves together.
void transfer(Team& team, Endpoint& end, const Exchange& x, const Operation& operation,
              std::size_t n, Direction direction, std::uint64_t round) {
    const bool reads = operation.op == Op::rdma_read;
    const bool initiator = initiates(team.id(), direction);
    const bool target = initiates(team.peer(), direction);
    const bool filled = reads ? initiator : target;

    x.out.fill(seed_of(team.id(), round), n);
    x.in.blank(n);
    if (target) operation.receive(end, x, n);
    team.barrier();
    if (initiator) operation.post(end, x, n);
    if (initiator) {
        const fabric::Completion done = end.expect_sent(request_id);
        check_equal(done.op, operation.op, "operation of the completion");
        if (reads) check_equal(done.length, Bytes(n), "bytes read");
    }
    if (target) operation.expect_arrival(end, n);
    team.barrier();
    const std::string what = show(operation.op) + " of " + std::to_string(n) + " bytes";
    if (filled) x.in.check(n, seed_of(team.peer(), round), what);
    if (!filled) x.in.check_blank(n, what + ", nothing was sent to this side");
    check_pattern(x.out.data(0, n), seed_of(team.id(), round), what + ", at its source");
    team.barrier();
}

class Operations : public Contract {
  protected:
    std::vector<std::size_t> sizes() const {
        std::vector<std::size_t> all = {0, 1, 7, 64, 4095, 4096, 4097, 1 << 20};
        // In virtual time nothing new happens beyond many packets.
        const bool simulated = traits().clock == fabric::Clock::virtual_time;
        if (!quick()) all.push_back(simulated ? 4 << 20 : 64 << 20);
        std::erase_if(all, [&](std::size_t n) { return Bytes(n) > traits().max_message; });
        return all;
    }

    void transfer_every_size(const Operation& operation) const {
        const std::vector<std::size_t> all = sizes();
        run(2, [&](Team& team) {
            Endpoint end(team);
            end.connect(team.peer());
            std::uint64_t round = 0;
            for (const Memory source : memories)
                for (const Memory target : memories) {
                    const Exchange x(team, all.back(), source, target);
                    for (const std::size_t n : all)
                        for (const Direction direction : directions)
                            if (n <= 1 << 20 || direction == Direction::both)
                                transfer(team, end, x, operation, n, direction, ++round);
                    team.barrier();
                }
            end.expect_silence(0_ns);
            team.barrier();
        });
    }
};

TEST_P(Operations, send) {
    transfer_every_size({Op::send});
}
TEST_P(Operations, send_with_immediate) {
    transfer_every_size({Op::send, true});
}
TEST_P(Operations, rdma_write) {
    transfer_every_size({Op::rdma_write});
}
TEST_P(Operations, rdma_write_imm) {
    if (!traits().write_immediate) GTEST_SKIP() << "no write with immediate on this fabric";
    transfer_every_size({Op::rdma_write_imm});
}
TEST_P(Operations, rdma_read) {
    transfer_every_size({Op::rdma_read});
}

TEST_P(Operations, rdma_at_any_offset) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        constexpr std::size_t size = 10'000;
        for (const Memory memory : memories) {
            const Exchange x(team, size, memory, memory);
            x.out.fill(seed_of(team.id(), 1));
            x.in.blank();
            team.barrier();
            // Every piece goes elsewhere, one byte on; then all is read back to where it came from.
            std::uint64_t id = 0;
            std::size_t at = 0;
            for (std::size_t n = 1; at + n < size; at += n, n = n * 2 + 1) {
                end.write(++id, x.out.slice(at, n), Buffer::at(*x.peer_in, at + 1),
                          Flags::remote_completion);
                end.expect_sent(id);
            }
            team.barrier();
            check_equal(x.in.data()[0], Buffer::untouched, "the byte before the first piece");
            check_equal(x.in.data()[at + 1], Buffer::untouched, "the byte behind the last piece");
            team.barrier();
            x.out.blank();
            end.read(++id, x.out.slice(3, at), Buffer::at(*x.peer_in, 1));
            end.expect_sent(id);
            check_pattern(x.out.data(3, at), seed_of(team.id(), 1), "what came back");
            check_equal(x.out.data()[2], Buffer::untouched, "the byte before it");
            check_equal(x.out.data()[3 + at], Buffer::untouched, "the byte behind it");
            team.barrier();
        }
    });
}

TEST_P(Operations, a_message_shorter_than_its_receive) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer out(team.nic(), 5000), in(team.nic(), 8192);
        std::uint64_t id = 0;
        for (const std::size_t n : {0, 1, 63, 64, 4096, 5000}) {
            ++id;
            out.fill(seed_of(team.id(), id));
            in.blank();
            end.receive(id, in.slice());
            team.barrier();
            end.send(id, out.slice(0, n));
            end.expect_sent(id);
            end.expect_received(id, n);
            in.check(n, seed_of(team.peer(), id), "a short message");
            team.barrier();
        }
    });
}

TEST_P(Operations, fetch_add_returns_the_old_value) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        for (const Memory memory : memories) {
            Word target(team.nic(), 40, memory), old(team.nic(), 0, memory);
            const auto remote = team.swap(target.region());
            std::uint64_t value = 40;
            // The last two: past 2^32, and round the top.
            for (const std::uint64_t addend :
                 {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
                end.fetch_add(addend, old.slice(), Buffer::at(*remote), addend);
                check_equal(end.expect_sent(addend).op, Op::fetch_add, "operation");
                check_equal(old.get(), value, "value before the addition");
                value += addend;
            }
            team.barrier();
            check_equal(target.get(), value, "sum");
            team.barrier();
        }
    });
}

TEST_P(Operations, compare_swap_swaps_only_what_was_expected) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        for (const Memory memory : memories) {
            constexpr std::uint64_t first = 0x0123'4567'89ab'cdef, second = ~first;
            Word target(team.nic(), first, memory), old(team.nic(), 0, memory);
            const auto remote = team.swap(target.region());
            end.compare_swap(1, old.slice(), Buffer::at(*remote), first + 1, 99);
            check_equal(end.expect_sent(1).op, Op::compare_swap, "operation");
            check_equal(old.get(), first, "value found where another was expected");
            end.compare_swap(2, old.slice(), Buffer::at(*remote), first, second);
            end.expect_sent(2);
            check_equal(old.get(), first, "value found where it was expected");
            end.compare_swap(3, old.slice(), Buffer::at(*remote), first, 99);
            end.expect_sent(3);
            check_equal(old.get(), second, "value left by the swap");
            team.barrier();
            check_equal(target.get(), second, "value after all");
            team.barrier();
        }
    });
}

/// IB-4: a write or a read without immediate data is invisible to its target.
TEST_P(Operations, rdma_leaves_nothing_in_the_queues_of_its_target) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer mine(team.nic(), 256), old(team.nic(), 256);
        const auto remote = team.swap(mine.region());
        end.receive(1, old.slice());
        team.barrier();
        if (team.id() == sender) {
            end.write(1, old.slice(), Buffer::at(*remote), Flags::remote_completion);
            end.read(2, old.slice(), Buffer::at(*remote));
            end.fetch_add(3, old.slice(0, 8), Buffer::at(*remote), 1);
            for (const std::uint64_t id : {1, 2, 3})
                end.expect_sent(id);
        }
        team.barrier();
        end.expect_silence(1_ms);
        team.barrier();
    });
}

RAILYARD_CONTRACT(Operations);

}  // namespace
}  // namespace railyard::contract
