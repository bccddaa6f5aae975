/// Regions that end: by a send that invalidates them, and by being deregistered.

#include <algorithm>
#include <optional>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Flags;
using fabric::Op;
using fabric::RemoteRegion;
using fabric::WorkRequest;
using namespace railyard::literals;

class Invalidate : public Contract {};

TEST_P(Invalidate, a_send_ends_the_region_that_it_names) {
    run(2, [](Team& team) {
        for (const Memory memory : memories) {
            Endpoint end(team), other(team);
            end.connect(team.peer());
            other.connect(team.peer());
            Buffer data(team.nic(), 512, memory), out(team.nic(), 512), in(team.nic(), 512);
            const auto remote = team.swap(data.region());
            out.fill(seed_of(team.id(), 1));
            if (team.id() == receiver) end.receive(5, in.slice());
            team.barrier();
            if (team.id() == sender) {
                end.write(1, out.slice(), Buffer::at(*remote), Flags::unsignalled);
                const fabric::Slice body = out.slice(0, 100);
                end.post({.id = 2, .local = std::span(&body, 1), .invalidate = remote.get()});
                end.expect_sent(2);
            } else {
                const fabric::Completion done = end.expect_received(5, 100);
                check_equal(static_cast<const void*>(done.invalidated), &data.region(),
                            "the region that ended");
                check_pattern(in.data(0, 100), seed_of(sender, 1), "the message itself");
                data.check(512, seed_of(sender, 1), "what was written before");
                data.blank();  // its owner's alone from here on
            }
            team.barrier();
            // Gone for everyone, whichever queue pair asks.
            if (team.id() == sender) {
                other.write(3, out.slice(), Buffer::at(*remote), Flags::remote_completion);
                other.expect_sent(3, Code::region_gone);
            }
            team.barrier();
            if (team.id() == receiver) data.check_blank(512, "a region that was invalidated");
            check_alive(team, end);
            team.barrier();
        }
    });
}

TEST_P(Invalidate, an_ordinary_message_names_no_region) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        end.receive(1);
        team.barrier();
        end.post({});
        check(end.expect_received(1, 0).invalidated == nullptr, "no region ended");
        end.expect_sent(0);
        team.barrier();
    });
}

TEST_P(Invalidate, naming_a_region_that_is_gone) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        std::optional<Buffer> data(std::in_place, team.nic(), 64);
        const auto remote = team.swap(data->region());
        if (team.id() == receiver) end.receive(1);
        if (team.id() == receiver) data.reset();
        team.barrier();
        if (team.id() == sender) {
            end.post({.id = 1, .flags = Flags::remote_completion, .invalidate = remote.get()});
            end.expect_sent(1, Code::region_gone);
            end.expect_failed(Code::region_gone);
        } else {
            end.expect_failed(Code::remote_closed);
        }
        team.barrier();
    });
}

TEST_P(Invalidate, naming_a_region_of_somebody_else) {
    run(3, [](Team& team) {
        constexpr int third = 2;
        Buffer data(team.nic(), 64);
        const auto blobs = team.gather(data.region().export_blob());
        const auto foreign = team.nic().import_region(blobs[third]);
        Endpoint end(team), owner(team);
        if (team.id() != third) end.connect(team.peer(), 1);
        if (team.id() == sender) owner.connect(third, 2);
        if (team.id() == third) owner.connect(sender, 2);
        if (team.id() == receiver) end.receive(1);
        team.barrier();
        if (team.id() == sender) {
            end.post({.id = 1, .flags = Flags::remote_completion, .invalidate = foreign.get()});
            end.expect_sent(1, Code::bad_key);
            // It is still there for those who may use it.
            owner.write(2, data.slice(), Buffer::at(*foreign), Flags::remote_completion);
            owner.expect_sent(2);
        }
        if (team.id() == receiver) end.expect_failed(Code::remote_closed);
        team.barrier();
    });
}

/// "When the destructor returns, no peer touches the memory any more": a peer writes without end,
/// and the owner takes the region away under it and uses the memory for something else.
TEST_P(Invalidate, a_deregistered_region_is_left_alone_from_then_on) {
    const int turns = rounds(12);
    run(2, [=](Team& team) {
        // Long writes, so that one is under way when the region ends; and short ones.
        std::vector<std::byte> memory(4 << 20);
        Buffer out(team.nic(), memory.size());
        for (int turn = 0; turn < turns; ++turn) {
            Endpoint end(team);
            end.connect(team.peer());
            auto region = team.nic().register_memory(memory, fabric::Access::all);
            const auto remote = team.swap(*region);
            const std::size_t n = turn % 2 == 0 ? memory.size() : 64;
            team.barrier();
            if (team.id() == sender) {
                Status last = Code::ok;
                for (std::uint64_t id = 0; last.ok(); ++id) {
                    end.write(id, out.slice(0, n), {remote.get(), {}}, Flags::remote_completion);
                    last = end.next_sent().status;
                }
                check_equal(last, Code::region_gone, "the end of a row of writes");
            } else {
                team.pause(Duration::us(50 * (turn + 1)));
                region.reset();
                std::ranges::fill(memory, std::byte{0x11});
                team.pause(5_ms);
                check(std::ranges::all_of(memory, [](std::byte b) { return b == std::byte{0x11}; }),
                      "memory that is registered no more is left alone");
            }
            team.barrier();
        }
    });
}

// The peer computes, and what has been begun stands still meanwhile, perhaps.
TEST_P(Invalidate, a_region_that_ends_beside_a_busy_peer_is_left_alone) {
    run(2, [](Team& team) {
        std::vector<std::byte> memory(4 << 20);
        Buffer out(team.nic(), memory.size());
        Endpoint end(team);
        end.connect(team.peer());
        auto region = team.nic().register_memory(memory, fabric::Access::all);
        const auto remote = team.swap(*region);
        team.barrier();
        if (team.id() == sender) {
            end.write(1, out.slice(), {remote.get(), {}}, Flags::remote_completion);
            team.host().compute(500_ms);
            static_cast<void>(end.next_sent());  // with whatever has become of it
        } else {
            team.pause(20_ms);
            region.reset();
            std::ranges::fill(memory, std::byte{0x11});
            team.pause(600_ms);
            check(std::ranges::all_of(memory, [](std::byte b) { return b == std::byte{0x11}; }),
                  "memory that is registered no more is left alone");
        }
        team.barrier();
    });
}

TEST_P(Invalidate, memory_registered_anew_does_not_revive_the_old_region) {
    run(2, [](Team& team) {
        Endpoint end(team), fresh(team);
        end.connect(team.peer());
        fresh.connect(team.peer());
        std::vector<std::byte> memory(4096, Buffer::untouched);
        Buffer out(team.nic(), 64);
        out.fill(seed_of(team.id(), 1));
        auto first = team.nic().register_memory(memory, fabric::Access::all);
        const auto old = team.swap(*first);
        first.reset();
        auto second = team.nic().register_memory(memory, fabric::Access::all);
        const auto now = team.swap(*second);
        if (team.id() == sender) {
            end.write(1, out.slice(), {old.get(), {}}, Flags::remote_completion);
            end.expect_sent(1, Code::region_gone);
        }
        team.barrier();
        check_equal(memory[0], Buffer::untouched, "memory behind the old name");
        team.barrier();
        fresh.write(2, out.slice(), {now.get(), {}}, Flags::remote_completion);
        fresh.expect_sent(2);
        team.barrier();
        check_pattern(std::span(memory).first(64), seed_of(team.peer(), 1), "by the new name");
        team.barrier();
    });
}

TEST_P(Invalidate, one_piece_of_memory_may_have_several_regions) {
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        std::vector<std::byte> memory(8192, Buffer::untouched);
        Buffer out(team.nic(), 4096);
        out.fill(seed_of(team.id(), 1));
        const auto lower =
            team.nic().register_memory(std::span(memory).first(6000), fabric::Access::remote_read);
        const auto upper = team.nic().register_memory(std::span(memory).subspan(4096),
                                                      fabric::Access::remote_write);
        const auto remote_lower = team.swap(*lower);
        const auto remote_upper = team.swap(*upper);
        end.write(1, out.slice(), {remote_upper.get(), {}}, Flags::remote_completion);
        end.expect_sent(1);
        team.barrier();
        Buffer in(team.nic(), 1000);
        end.read(2, in.slice(), {remote_lower.get(), 5000_B});
        end.expect_sent(2);
        // Both of us hold what the other wrote, at 4096; so 5000 is 904 bytes into it.
        check(std::ranges::equal(in.data(), out.data(904, 1000)), "read back by another name");
        check_pattern(std::span(memory).subspan(4096), seed_of(team.peer(), 1), "what was written");
        team.barrier();
    });
}

TEST_P(Invalidate, allocated_memory_is_zeroed) {
    run(1, [](Team& team) {
        for (int turn = 0; turn < 20; ++turn) {
            const auto region = team.nic().allocate(100'000_B, fabric::Access::all);
            for (std::byte& b : region->span()) {
                check_equal(b, std::byte{0}, "a byte of fresh memory");
                b = std::byte{0xff};  // for whoever gets this memory next
            }
        }
    });
}

RAILYARD_CONTRACT(Invalidate);

}  // namespace
}  // namespace railyard::contract
