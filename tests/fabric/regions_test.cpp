/// Regions that end while others of the same memory are at work: that is no one's business but
/// their own.

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

RAILYARD_CONTRACT(Regions);

}  // namespace
}  // namespace railyard::contract
