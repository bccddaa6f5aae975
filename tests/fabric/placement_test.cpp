/// Watching memory: the third way to learn of an arrival, where Traits say that the last byte of a
/// write comes last (IB-8: a property of the device). And on real fabrics a litmus test of memory
/// ordering; RAILYARD_LITMUS_ROUNDS says how many rounds.

#include <cstdlib>
#include <cstring>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::arrived;
using fabric::Flags;
using fabric::Placement;
using fabric::RemoteRegion;
using namespace railyard::literals;

class Watching : public Contract {
  protected:
    bool last_byte_last() const { return traits().placement == Placement::last_byte_last; }
};

#define NEEDS_LAST_BYTE_LAST() \
    if (!last_byte_last()) GTEST_SKIP() << "placement is not last-byte-last on this fabric"

/// Never the value of the round before, nor that of fresh memory.
std::byte mark(std::uint64_t round) {
    return static_cast<std::byte>(round % 255 + 1);
}

TEST_P(Watching, the_last_byte_of_a_write_comes_last) {
    NEEDS_LAST_BYTE_LAST();
    const int turns = rounds(60);
    run(2, [=](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        constexpr std::size_t longest = 1 << 20;
        for (const Memory memory : memories) {
            Buffer out(team.nic(), longest), in(team.nic(), longest, memory);
            const auto remote = team.swap(in.region());
            const std::size_t lengths[] = {1, 2, 7, 8, 9, 64, 65, 1000, 4096, 65'537, longest};
            for (int turn = 0; turn < turns; ++turn) {
                const std::uint64_t round = static_cast<std::uint64_t>(turn);
                const std::size_t n = lengths[round % std::size(lengths)];
                out.fill(seed_of(team.id(), round), n);
                out.data()[n - 1] = mark(round);
                in.blank(n);
                in.data()[n - 1] = std::byte{0};
                team.barrier();
                end.write(round, out.slice(0, n), Buffer::at(*remote), Flags::unsignalled);
                team.await([&] { return arrived(&in.data()[n - 1], mark(round)); },
                           "the last byte of a write");
                check_pattern(in.data(0, n - 1), seed_of(team.peer(), round),
                              "what came before the last byte");
                check_equal(in.region().span()[Buffer::guard + n], Buffer::untouched,
                            "the byte behind the last");
                team.barrier();
            }
        }
    });
}

TEST_P(Watching, a_gathered_write_too_has_its_last_byte_last) {
    NEEDS_LAST_BYTE_LAST();
    if (traits().max_slices < 3) GTEST_SKIP() << "no gather lists on this fabric";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer out(team.nic(), 6000), in(team.nic(), 6000, Memory::nic);
        const auto remote = team.swap(in.region());
        for (std::uint64_t round = 0; round < 40; ++round) {
            out.fill(seed_of(team.id(), round));
            out.data()[5999] = mark(round);
            in.data()[5999] = std::byte{0};
            team.barrier();
            const fabric::Slice pieces[] = {out.slice(0, 3000), out.slice(3000, 2999),
                                            out.slice(5999, 1)};
            end.post({.op = fabric::Op::rdma_write,
                      .flags = Flags::unsignalled,
                      .local = pieces,
                      .remote = Buffer::at(*remote)});
            team.await([&] { return arrived(&in.data()[5999], mark(round)); }, "the last byte");
            check_pattern(in.data(0, 5999), seed_of(team.peer(), round), "what came before it");
            team.barrier();
        }
    });
}

TEST_P(Watching, an_inline_write_is_seen) {
    NEEDS_LAST_BYTE_LAST();
    if (traits().max_inline < 8_B) GTEST_SKIP() << "no inline data on this fabric";
    run(2, [](Team& team) {
        Endpoint end(team);
        end.connect(team.peer());
        Buffer in(team.nic(), 8, Memory::nic);
        const auto remote = team.swap(in.region());
        for (std::uint64_t round = 0; round < 100; ++round) {
            std::byte bytes[8];
            fill_pattern(bytes, seed_of(team.id(), round));
            bytes[7] = mark(round);
            end.post({.op = fabric::Op::rdma_write,
                      .flags = Flags::inlined | Flags::unsignalled,
                      .bytes = bytes,
                      .remote = Buffer::at(*remote)});
            team.await([&] { return arrived(&in.data()[7], mark(round)); }, "the last byte");
            check_pattern(in.data(0, 7), seed_of(team.peer(), round), "what came before it");
            team.barrier();
        }
    });
}

RAILYARD_CONTRACT(Watching);

class Litmus : public Watching {
  protected:
    void SetUp() override {
        if (!real()) GTEST_SKIP() << "in virtual time there is one order only";
    }
    std::uint64_t litmus_rounds() const {
        const char* wish = std::getenv("RAILYARD_LITMUS_ROUNDS");
        if (wish != nullptr) return std::strtoull(wish, nullptr, 10);
        // On ofi each is a system call or two, and who watches is who places.
        return GetParam().fabric == "ofi" && quick() ? 4'000 : 20'000;
    }
};

/// A payload whose words all follow from the round: a word of an earlier round shows.
class Payload {
  public:
    static constexpr std::size_t words = 31;
    static constexpr std::size_t size = words * sizeof(std::uint64_t);

    static void put(std::byte* at, std::uint64_t round) {
        for (std::size_t i = 0; i < words; ++i) {
            const std::uint64_t value = round * words + i;
            std::memcpy(at + i * sizeof value, &value, sizeof value);
        }
    }
    static void check(const std::byte* at, std::uint64_t round) {
        for (std::size_t i = 0; i < words; ++i) {
            std::uint64_t value;
            std::memcpy(&value, at + i * sizeof value, sizeof value);
            if (value != round * words + i)
                fail("round " + show(round) + ": word " + show(i) + " is of round " +
                     show(value / words));
        }
    }
};

/// Ping-pong: rank 0 begins, each answers what it sees, so that buffers are never written while
/// somebody reads them. `say(round)` sends, `hear(round)` waits.
template <class Say, class Hear>
void ping_pong(Team& team, std::uint64_t rounds, Say&& say, Hear&& hear) {
    team.barrier();
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        if (team.id() == 0) say(round);
        hear(round);
        if (team.id() == 1) say(round);
    }
    team.barrier();
}

/// Rounds are shared out over the kinds of memory, which may be reached by different ways.
constexpr std::uint64_t share(std::uint64_t rounds, std::uint64_t among) {
    return (rounds + among - 1) / among;
}

void watch_last_byte(Team& team, std::uint64_t count, Memory memory) {
    Endpoint end(team);
    end.connect(team.peer());
    constexpr std::size_t flag = Payload::size;
    Buffer out(team.nic(), flag + 1), in(team.nic(), flag + 1, memory);
    const auto remote = team.swap(in.region());
    in.data()[flag] = std::byte{0};
    const auto say = [&](std::uint64_t round) {
        Payload::put(out.data().data(), round);
        out.data()[flag] = mark(round);
        end.write(round, out.slice(), Buffer::at(*remote), Flags::unsignalled);
    };
    const auto hear = [&](std::uint64_t round) {
        team.await([&] { return arrived(&in.data()[flag], mark(round)); }, "the flag");
        Payload::check(in.data().data(), round);
    };
    ping_pong(team, count, say, hear);
}

void watch_flag(Team& team, std::uint64_t count, Memory payload_memory, Memory flag_memory) {
    Endpoint end(team);
    end.connect(team.peer());
    Buffer out(team.nic(), Payload::size), in(team.nic(), Payload::size, payload_memory);
    Buffer flag_out(team.nic(), 1), flag_in(team.nic(), 1, flag_memory);
    const auto remote = team.swap(in.region());
    const auto remote_flag = team.swap(flag_in.region());
    flag_in.data()[0] = std::byte{0};
    const auto say = [&](std::uint64_t round) {
        Payload::put(out.data().data(), round);
        flag_out.data()[0] = mark(round);
        end.write(round, out.slice(), Buffer::at(*remote), Flags::unsignalled);
        end.write(round, flag_out.slice(), Buffer::at(*remote_flag), Flags::unsignalled);
    };
    const auto hear = [&](std::uint64_t round) {
        team.await([&] { return arrived(&flag_in.data()[0], mark(round)); }, "the flag");
        Payload::check(in.data().data(), round);
    };
    ping_pong(team, count, say, hear);
}

void receive_message(Team& team, std::uint64_t count, Memory memory) {
    Endpoint end(team);
    end.connect(team.peer());
    Buffer out(team.nic(), Payload::size), in(team.nic(), Payload::size, memory);
    const auto remote = team.swap(in.region());
    for (std::uint64_t i = 0; i < 4; ++i)
        end.receive(i);
    const auto say = [&](std::uint64_t round) {
        Payload::put(out.data().data(), round);
        end.write(round, out.slice(), Buffer::at(*remote), Flags::unsignalled);
        end.post({.id = round, .flags = Flags::unsignalled});
    };
    const auto hear = [&](std::uint64_t round) {
        check_equal(end.next_received().status, Code::ok, "a message");
        end.receive(round);
        Payload::check(in.data().data(), round);
    };
    ping_pong(team, count, say, hear);
}

TEST_P(Litmus, a_payload_is_seen_before_the_last_byte_of_its_write) {
    NEEDS_LAST_BYTE_LAST();
    const std::uint64_t count = share(litmus_rounds(), 2);
    run(2, [=](Team& team) {
        for (const Memory memory : memories)
            watch_last_byte(team, count, memory);
    });
}

TEST_P(Litmus, a_payload_is_seen_before_a_flag_written_after_it) {
    NEEDS_LAST_BYTE_LAST();
    const std::uint64_t count = share(litmus_rounds(), 4);
    run(2, [=](Team& team) {
        for (const Memory payload : memories)
            for (const Memory flag : memories)
                watch_flag(team, count, payload, flag);
    });
}

TEST_P(Litmus, a_payload_is_seen_before_the_message_sent_after_it) {
    const std::uint64_t count = share(litmus_rounds(), 2);
    run(2, [=](Team& team) {
        for (const Memory memory : memories)
            receive_message(team, count, memory);
    });
}

RAILYARD_CONTRACT(Litmus);

}  // namespace
}  // namespace railyard::contract
