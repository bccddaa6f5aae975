/// Copies that are done when the call returns, where the processor gets to the peer's memory: the
/// right bytes arrive, no other byte changes, and what must not be done is refused.

#include <optional>
#include <vector>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Access;

class AtOnce : public Contract {};

/// Memory that is mapped can always be reached; the user's own where the kernel copies it.
bool must_be_reached(Team& team, Memory memory) {
    return team.nic().traits().maps_allocated && memory == Memory::nic;
}

TEST_P(AtOnce, writes_and_reads_bring_the_right_bytes) {
    run(2, [](Team& team) {
        for (const Memory memory : memories)
            for (const std::size_t size : {0, 1, 8, 4096, 100'000}) {
                Endpoint end(team);
                end.connect(team.peer());
                Buffer out(team.nic(), size, memory), in(team.nic(), size, memory);
                out.fill(seed_of(team.id(), 1));
                in.blank();
                const auto peer_out = team.swap(out.region());
                const auto peer_in = team.swap(in.region());
                std::vector<std::byte> own(size), back(size);
                fill_pattern(own, seed_of(team.id(), 2));
                const Status wrote = end.queue_pair().write_now(Buffer::at(*peer_in), own);
                const Status read = end.queue_pair().read_now(back, Buffer::at(*peer_out));
                team.barrier();
                check_equal(wrote.name(), read.name(), "both can be done, or neither");
                if (wrote == Code::unsupported) {
                    check(!must_be_reached(team, memory), "mapped memory is reached");
                    in.check_blank(size, "nothing was written");
                } else {
                    check_equal(wrote.name(), name(Code::ok), "what became of it");
                    in.check(size, seed_of(team.peer(), 2), "what was written");
                    check_pattern(back, seed_of(team.peer(), 1), "what was read");
                }
                team.barrier();
            }
    });
}

TEST_P(AtOnce, what_must_not_be_done_is_refused) {
    run(2, [](Team& team) {
        for (const Memory memory : memories) {
            Endpoint end(team);
            Buffer readable(team.nic(), 64, memory, Access::remote_read);
            readable.blank();
            std::optional<Buffer> shortly(std::in_place, team.nic(), 64, memory);
            const auto remote = team.swap(readable.region());
            const auto gone = team.swap(shortly->region());
            std::vector<std::byte> bytes(64, std::byte{1});
            const auto expect = [&](Status got, Code wanted, const char* what) {
                if (got == Code::unsupported && !must_be_reached(team, memory)) return;
                check_equal(got.name(), name(wanted), what);
            };
            const auto unconnected = end.queue_pair().write_now(Buffer::at(*remote), bytes);
            check(unconnected == Code::not_connected || unconnected == Code::unsupported,
                  "nobody is there yet");
            end.connect(team.peer());
            expect(end.queue_pair().write_now(Buffer::at(*remote), bytes), Code::no_right,
                   "a write into what is for reading");
            expect(end.queue_pair().read_now(bytes, Buffer::at(*remote, 65)), Code::out_of_bounds,
                   "a read that leaves the region");
            team.barrier();
            shortly.reset();
            team.barrier();
            expect(end.queue_pair().read_now(bytes, Buffer::at(*gone)), Code::region_gone,
                   "a read of what is no longer there");
            readable.check_blank(64, "nothing was written");
            team.barrier();
        }
    });
}

RAILYARD_CONTRACT(AtOnce);

}  // namespace
}  // namespace railyard::contract
