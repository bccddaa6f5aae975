/// Regions that end while others are at work: one of the same memory is no one's business but its
/// own, and one that a peer writes to ends without harm to its owner.

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Access;
using fabric::Flags;
using fabric::Op;

class Regions : public Contract {};

/// As a cache of registrations does it: memory is registered twice, and one of the two is given up.
TEST_P(Regions, one_of_two_of_the_same_memory_can_end_at_any_time) {
    const int turns = rounds(20);
    run(2, [=](Team& team) {
        constexpr std::size_t size = 3 << 20;
        Endpoint end(team);
        end.connect(team.peer());
        Buffer out(team.nic(), size), in(team.nic(), size);
        const auto target = team.swap(in.region());
        const auto source = team.swap(out.region());
        out.fill(seed_of(team.id(), 1));
        for (int turn = 0; turn < turns; ++turn) {
            const Op op = turn % 3 == 0 ? Op::send : turn % 3 == 1 ? Op::rdma_write : Op::rdma_read;
            in.blank();
            team.barrier();
            if (op == Op::send) end.receive(1, in.slice());
            team.before_sends();
            if (op == Op::send) end.send(2, out.slice());
            if (op == Op::rdma_write)
                end.write(2, out.slice(), Buffer::at(*target), Flags::remote_completion);
            if (op == Op::rdma_read) end.read(2, in.slice(), Buffer::at(*source));
            fabric::Completion done;
            team.await(
                [&] {
                    for (const Buffer* buffer : {&out, &in})
                        team.nic().register_memory(buffer->data(), Access::all);  // and gone
                    return end.sent_queue().poll(done);
                },
                "the end of a request");
            check_equal(done.status, Code::ok, "a request beside which a region ends");
            if (op == Op::send) end.expect_received(1, size);
            team.barrier();
            in.check(size, seed_of(team.peer(), 1), "data beside which a region ends");
        }
    });
}

/// Its data may have come before its turn has, and then it ends.
TEST_P(Regions, one_can_end_before_a_write_to_it_has_had_its_turn) {
    const int turns = rounds(20);
    run(2, [=](Team& team) {
        constexpr std::size_t large = 4 << 20, small = 20'000;
        for (int turn = 0; turn < turns; ++turn) {
            Endpoint end(team);
            end.connect(team.peer());
            Buffer out(team.nic(), large), first(team.nic(), large);
            std::vector<std::byte> memory(small, Buffer::untouched);
            auto second = team.nic().register_memory(memory, Access::all);
            const auto to_first = team.swap(first.region());
            const auto to_second = team.swap(*second);
            out.fill(seed_of(sender, 1));
            out.data()[0] = std::byte{1};
            team.barrier();
            if (team.id() == sender) {
                end.write(1, out.slice(), Buffer::at(*to_first), Flags::remote_completion);
                end.write(2, out.slice(0, small), {to_second.get(), {}}, Flags::remote_completion);
                end.expect_sent(1);
                const Status last = end.next_sent().status;
                if (last != Code::ok) check_equal(last, Code::region_gone, "the second write");
            } else {
                team.await([&] { return fabric::arrived(memory.data(), std::byte{1}); },
                           "the first byte of the second write");
                second.reset();
            }
            team.barrier();
        }
    });
}

RAILYARD_CONTRACT(Regions);

}  // namespace
}  // namespace railyard::contract
