/// Every misuse of remote memory, and the status by which it is told (IB-5: an error completion,
/// and no data moves).

#include <limits>

#include "fabric/misuse.hpp"

namespace railyard::contract {
namespace {

using fabric::Access;
using fabric::Op;
using fabric::RegionBlob;
using fabric::Slice;
using namespace railyard::literals;

class Misuse : public Contract {};

bool available(Team& team, Op op) {
    return op != Op::rdma_write_imm || team.traits().write_immediate;
}

TEST_P(Misuse, out_of_bounds) {
    run(2, [](Team& team) {
        for (const Memory memory : memories) {
            Victim victim(team, Access::all, memory);
            constexpr std::size_t size = Victim::size;
            for (const Op op : {Op::rdma_write, Op::rdma_write_imm, Op::rdma_read}) {
                if (!available(team, op)) continue;
                // One byte too far; wholly beyond; and too long from the start on.
                for (const std::size_t offset : {size - 7, size, size + 4096})
                    expect_misuse(team, victim, {op, victim.at(offset)}, Code::out_of_bounds);
                expect_misuse(team, victim, {op, victim.at(1), size}, Code::out_of_bounds);
            }
            for (const Op op : {Op::fetch_add, Op::compare_swap})
                expect_misuse(team, victim, {op, victim.at(size)}, Code::out_of_bounds);
        }
    });
}

/// Offset plus length comes round to a small number: a sum that nobody checks would pass.
TEST_P(Misuse, out_of_bounds_by_an_offset_that_wraps) {
    run(2, [](Team& team) {
        Victim victim(team, Access::all, Memory::nic);
        constexpr std::size_t top = std::numeric_limits<std::size_t>::max();
        for (const Op op : {Op::rdma_write, Op::rdma_read})
            for (const std::size_t offset : {top - 7, top - 3, top, top / 2 + 1})
                expect_misuse(team, victim, {op, victim.at(offset)}, Code::out_of_bounds);
        expect_misuse(team, victim, {Op::fetch_add, victim.at(top - 7)}, Code::out_of_bounds);
    });
}

/// GM-2: nobody reaches what its owner has not opened to him.
TEST_P(Misuse, missing_right) {
    run(2, [](Team& team) {
        struct Case {
            Access granted;
            Op op;
        };
        const Case cases[] = {
            {Access::remote_read | Access::remote_atomic, Op::rdma_write},
            {Access::remote_read | Access::remote_atomic, Op::rdma_write_imm},
            {Access::remote_write | Access::remote_atomic, Op::rdma_read},
            {Access::remote_read | Access::remote_write, Op::fetch_add},
            {Access::remote_read | Access::remote_write, Op::compare_swap},
            {Access::local, Op::rdma_write},
            {Access::local, Op::rdma_read},
        };
        for (const Memory memory : memories)
            for (const Case& c : cases) {
                if (!available(team, c.op)) continue;
                Victim victim(team, c.granted, memory);
                expect_misuse(team, victim, {c.op, victim.at(0)}, Code::no_right);
            }
    });
}

TEST_P(Misuse, misaligned_atomic) {
    run(2, [](Team& team) {
        Victim victim(team, Access::all, Memory::nic);
        for (const Op op : {Op::fetch_add, Op::compare_swap})
            for (const std::size_t offset : {1, 4, 63})
                expect_misuse(team, victim, {op, victim.at(offset)}, Code::misaligned);
    });
}

/// GM-3: memory that is no longer registered cannot be reached.
TEST_P(Misuse, region_gone) {
    run(2, [](Team& team) {
        for (const Memory memory : memories)
            for (const Op op : {Op::rdma_write, Op::rdma_read, Op::fetch_add}) {
                Victim victim(team, Access::all, memory);
                std::vector<std::byte> other(Victim::size);
                auto gone = memory == Memory::user
                                ? team.nic().register_memory(other, Access::all)
                                : team.nic().allocate(Bytes(Victim::size), Access::all);
                const auto remote = team.swap(*gone);
                gone.reset();
                team.barrier();
                expect_misuse(team, victim, {op, {remote.get(), {}}}, Code::region_gone);
                for (const std::byte b : other)
                    check_equal(b, std::byte{0}, "memory of a region that is gone");
            }
    });
}

/// A name that no Nic ever gave. A fabric may see so when it is imported.
TEST_P(Misuse, bad_key_by_a_corrupted_name) {
    run(2, [](Team& team) {
        Victim victim(team, Access::all, Memory::nic);
        const RegionBlob good = team.gather(victim.region->export_blob())[receiver];
        RegionBlob zero, inverted, reversed;
        const std::size_t n = good.bytes.size();
        for (std::size_t i = 0; i < n; ++i) {
            inverted.bytes[i] = ~good.bytes[i];
            reversed.bytes[i] = good.bytes[n - 1 - i];
        }
        for (const RegionBlob& blob : {zero, inverted, reversed})
            for (const Op op : {Op::rdma_write, Op::rdma_read, Op::fetch_add}) {
                std::unique_ptr<fabric::RemoteRegion> imported;
                try {
                    imported = team.nic().import_region(blob);
                } catch (const Error&) {
                    continue;  // on every rank alike: the bytes are the same
                }
                expect_misuse(team, victim, {op, {imported.get(), {}}}, Code::bad_key);
            }
    });
}

TEST_P(Misuse, bad_key_by_a_region_of_somebody_else) {
    run(3, [](Team& team) {
        constexpr int third = 2;
        for (const Memory memory : memories) {
            Victim victim(team, Access::all, memory);
            Victim bystander(team, Access::all, memory);
            const auto blobs = team.gather(bystander.region->export_blob());
            const auto foreign = team.nic().import_region(blobs[third]);
            for (const Op op : {Op::rdma_write, Op::rdma_read, Op::compare_swap}) {
                expect_misuse(team, victim, {op, {foreign.get(), {}}}, Code::bad_key);
                bystander.check_unchanged("memory of a third rank", Where::current());
            }
            // Where the victim has nothing, as it is larger than all that it has.
            const Buffer large(team.nic(), 1 << 20);
            const auto wide = team.gather(large.region().export_blob());
            const auto beyond = team.nic().import_region(wide[third]);
            expect_misuse(team, victim, {Op::rdma_write, {beyond.get(), Bytes(512 << 10)}},
                          Code::bad_key);
        }
    });
}

TEST_P(Misuse, local_slice_out_of_bounds) {
    run(2, [](Team& team) {
        constexpr std::size_t top = std::numeric_limits<std::size_t>::max();
        Victim victim(team, Access::all, Memory::nic);
        Buffer local(team.nic(), 64);
        const std::size_t size = local.region().size().count();
        const Slice slices[] = {
            {local.region(), Bytes(size - 7), 8_B},
            {local.region(), Bytes(size + 1), 8_B},
            {local.region(), 8_B, Bytes(size)},
            {local.region(), Bytes(top - 3), 8_B},  // wraps
        };
        for (const Op op : {Op::send, Op::rdma_write, Op::rdma_read})
            for (const Slice& slice : slices) {
                const fabric::RemoteSlice remote =
                    op == Op::send ? fabric::RemoteSlice{} : victim.at(0);
                expect_misuse(team, victim, {op, remote, 8, &slice}, Code::out_of_bounds);
            }
        local.check_blank(64, "local memory");
    });
}

/// An error at the target of a request that completes when its buffer is free: it is told by that
/// completion or, where that had come already, by the queue pair.
TEST_P(Misuse, is_told_without_remote_completion_too) {
    run(2, [](Team& team) {
        for (const Memory memory : memories) {
            Victim victim(team, Access::remote_read, memory);
            Endpoint end(team);
            end.connect(team.peer());
            Buffer local(team.nic(), 8);
            team.barrier();
            if (team.id() == sender) {
                end.write(1, local.slice(), victim.at(0));
                const Status status = end.next_sent().status;
                if (!status.ok()) check_equal(status, Code::no_right, "status of the write");
                end.expect_failed(Code::no_right);
            } else {
                end.expect_failed(Code::remote_closed);
                victim.check_unchanged("memory after an attack", Where::current());
            }
            team.barrier();
        }
    });
}

TEST_P(Misuse, is_told_of_an_unsignalled_request) {
    run(2, [](Team& team) {
        Victim victim(team, Access::remote_write, Memory::nic);
        Endpoint end(team);
        end.connect(team.peer());
        Buffer local(team.nic(), 8);
        team.barrier();
        if (team.id() == sender) {
            end.read(1, local.slice(), victim.at(0), fabric::Flags::unsignalled);
            end.expect_sent(1, Code::no_right);
            end.expect_failed(Code::no_right);
        } else {
            end.expect_failed(Code::remote_closed);
        }
        team.barrier();
    });
}

/// Requests before the wrong one are done, and say so.
TEST_P(Misuse, spares_what_was_posted_before) {
    run(2, [](Team& team) {
        for (const Memory memory : memories) {
            Endpoint end(team);
            end.connect(team.peer());
            Buffer out(team.nic(), 800), in(team.nic(), 800, memory);
            const auto remote = team.swap(in.region());
            out.fill(seed_of(team.id(), 1));
            team.barrier();
            if (team.id() == sender) {
                for (std::uint64_t i = 0; i < 8; ++i)
                    end.write(i, out.slice(i * 100, 100), Buffer::at(*remote, i * 100));
                end.write(8, out.slice(), Buffer::at(*remote, 100'000));
                for (std::uint64_t i = 0; i < 8; ++i)
                    end.expect_sent(i);
                const fabric::Completion done = end.next_sent();
                check_equal(done.id, 8, "id of the wrong one");
                end.expect_failed(Code::out_of_bounds);
            } else {
                end.expect_failed(Code::remote_closed);
                in.check(800, seed_of(sender, 1), "what was written before the error");
            }
            team.barrier();
        }
    });
}

/// A shared receive queue outlives the failure of a queue pair that it serves.
TEST_P(Misuse, leaves_a_shared_receive_queue_alone) {
    if (!traits().shared_receives) GTEST_SKIP() << "receives are not shared on this fabric";
    run(2, [](Team& team) {
        const auto shared =
            team.nic().create_receive_queue(16, fabric::ReceiveQueue::Sharing::shared);
        EndpointOptions options;
        options.receives = shared.get();
        Endpoint failing(team, options), other(team, options);
        failing.connect(team.peer(), 1);
        other.connect(team.peer(), 2);
        Victim victim(team, Access::local, Memory::nic);
        Buffer local(team.nic(), 8);
        for (const std::uint64_t id : {1, 2, 3})
            other.receive(id);
        team.barrier();
        if (team.id() == sender) {
            failing.write(1, local.slice(), victim.at(0), fabric::Flags::remote_completion);
            failing.expect_sent(1, Code::no_right);
        } else {
            failing.expect_failed(Code::remote_closed);
        }
        failing.expect_silence(2_ms);  // its receives are not its own, and are not flushed
        team.barrier();
        for (const std::uint64_t id : {1, 2, 3}) {
            other.post({.id = id});
            other.expect_received(id, 0);
            other.expect_sent(id);
        }
        team.barrier();
    });
}

RAILYARD_CONTRACT(Misuse);

}  // namespace
}  // namespace railyard::contract
