/// What may not overtake what, between requests of one queue pair to the same memory: a write is in
/// place before a later write, read or atomic of the same queue pair gets there.

#include <algorithm>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Flags;

class Overtaking : public Contract {};

TEST_P(Overtaking, a_read_sees_the_write_before_it) {
    const int turns = rounds(30);
    run(2, [=](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        for (const Memory memory : memories)
            for (const std::size_t n : {8, 3000, 200'000}) {
                Buffer out(team.nic(), n), target(team.nic(), n, memory), back(team.nic(), n);
                const auto remote = team.swap(target.region());
                for (int turn = 0; turn < turns; ++turn) {
                    const std::uint64_t round = static_cast<std::uint64_t>(turn);
                    out.fill(seed_of(team.id(), round));
                    back.blank();
                    end.write(1, out.slice(), Buffer::at(*remote), Flags::unsignalled);
                    end.read(2, back.slice(), Buffer::at(*remote));
                    end.expect_sent(2);
                    back.check(n, seed_of(team.id(), round), "read back at once");
                }
                team.barrier();
            }
    });
}

TEST_P(Overtaking, an_atomic_sees_the_write_before_it) {
    const int turns = rounds(100);
    run(2, [=](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        for (const Memory memory : memories) {
            Word target(team.nic(), 0, memory), fresh(team.nic()), old(team.nic());
            const auto remote = team.swap(target.region());
            for (int turn = 1; turn <= turns; ++turn) {
                const std::uint64_t value = 1000 * static_cast<std::uint64_t>(turn);
                fresh.set(value);
                end.write(1, fresh.slice(), Buffer::at(*remote), Flags::unsignalled);
                end.fetch_add(2, old.slice(), Buffer::at(*remote), 5, Flags::unsignalled);
                end.compare_swap(3, old.slice(), Buffer::at(*remote), value + 5, 1);
                end.expect_sent(3);
                check_equal(old.get(), value + 5, "the value after the write and the addition");
            }
            team.barrier();
            check_equal(target.get(), 1, "the value swapped in last");
            team.barrier();
        }
    });
}

TEST_P(Overtaking, the_last_write_wins) {
    const int turns = rounds(30);
    run(2, [=](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        constexpr std::size_t n = 100'000;
        for (const Memory memory : memories) {
            Buffer first(team.nic(), n), last(team.nic(), n), target(team.nic(), n, memory);
            const auto remote = team.swap(target.region());
            for (int turn = 0; turn < turns; ++turn) {
                const std::uint64_t round = 2 * static_cast<std::uint64_t>(turn);
                first.fill(seed_of(team.id(), round));
                last.fill(seed_of(team.id(), round + 1));
                // The long one is followed by short ones that cover its ends.
                end.write(1, first.slice(), Buffer::at(*remote), Flags::unsignalled);
                end.write(2, last.slice(0, 8), Buffer::at(*remote), Flags::unsignalled);
                end.write(3, last.slice(n - 40, 40), Buffer::at(*remote, n - 40),
                          Flags::remote_completion);
                end.expect_sent(3);
                team.barrier();
                std::vector<std::byte> expected(n), ends(n);
                fill_pattern(expected, seed_of(team.peer(), round));
                fill_pattern(ends, seed_of(team.peer(), round + 1));
                std::copy_n(ends.begin(), 8, expected.begin());
                std::copy_n(ends.end() - 40, 40, expected.end() - 40);
                check(std::ranges::equal(target.data(), expected), "the last write to each byte");
                team.barrier();
            }
        }
    });
}

/// Memory of both kinds may be reached by different ways; order holds all the same.
TEST_P(Overtaking, a_write_elsewhere_does_not_come_first) {
    if (traits().placement != fabric::Placement::last_byte_last)
        GTEST_SKIP() << "memory cannot be watched on this fabric";
    const int turns = rounds(100);
    run(2, [=](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        for (const Memory payload_memory : memories)
            for (const Memory flag_memory : memories) {
                constexpr std::size_t n = 50'000;
                Buffer out(team.nic(), n), in(team.nic(), n, payload_memory);
                Buffer flag_out(team.nic(), 1), flag_in(team.nic(), 1, flag_memory);
                const auto remote = team.swap(in.region());
                const auto remote_flag = team.swap(flag_in.region());
                flag_in.data()[0] = std::byte{0};
                for (int turn = 1; turn <= turns; ++turn) {
                    out.fill(seed_of(team.id(), static_cast<std::uint64_t>(turn)));
                    flag_out.data()[0] = static_cast<std::byte>(turn);
                    team.barrier();
                    end.write(1, out.slice(), Buffer::at(*remote), Flags::unsignalled);
                    end.write(2, flag_out.slice(), Buffer::at(*remote_flag), Flags::unsignalled);
                    team.await(
                        [&] {
                            return fabric::arrived(&flag_in.data()[0],
                                                   static_cast<std::byte>(turn));
                        },
                        "the flag");
                    check_pattern(in.data(), seed_of(team.peer(), static_cast<std::uint64_t>(turn)),
                                  "what was written before the flag");
                    team.barrier();
                }
            }
    });
}

RAILYARD_CONTRACT(Overtaking);

}  // namespace
}  // namespace railyard::contract
