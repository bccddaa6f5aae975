/// Eight ranks, each with each.

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Flags;
using namespace railyard::literals;

class AllToAll : public Contract {};

constexpr int ranks = 8;

std::size_t index(int rank) {
    return static_cast<std::size_t>(rank);
}

/// Connections with everyone, all asked for at once.
class Mesh {
  public:
    explicit Mesh(Team& team) : ends_(index(team.size())) {
        for (int rank = 0; rank < team.size(); ++rank) {
            if (rank == team.id()) continue;
            ends_[index(rank)] = std::make_unique<Endpoint>(team);
            ends_[index(rank)]->ask(team.address(rank), 1);
        }
        for (const auto& end : ends_)
            if (end != nullptr) end->await_connected();
    }
    Endpoint& operator[](int rank) { return *ends_[index(rank)]; }

  private:
    std::vector<std::unique_ptr<Endpoint>> ends_;
};

std::uint64_t seed(int from, int to, std::uint64_t round) {
    return seed_of(from * ranks + to, round);
}

TEST_P(AllToAll, messages) {
    const int turns = rounds(8);
    run(ranks, [=](Team& team) {
        Mesh mesh(team);
        constexpr std::size_t longest = 20'000;
        Buffer out(team.nic(), ranks * longest), in(team.nic(), ranks * longest);
        const auto everyone_else = [&](auto&& act) {
            for (int step = 1; step < ranks; ++step)
                act((team.id() + step) % ranks);
        };
        for (int turn = 0; turn < turns; ++turn) {
            const std::uint64_t round = static_cast<std::uint64_t>(turn);
            const std::size_t n = turn % 4 == 3 ? longest : 8;
            everyone_else([&](int rank) {
                fill_pattern(out.data(index(rank) * longest, n), seed(team.id(), rank, round));
                mesh[rank].receive(round, in.slice(index(rank) * longest, longest));
            });
            team.before_sends();
            everyone_else(
                [&](int rank) { mesh[rank].send(round, out.slice(index(rank) * longest, n)); });
            everyone_else([&](int rank) {
                mesh[rank].expect_received(round, n);
                check_pattern(in.data(index(rank) * longest, n), seed(rank, team.id(), round),
                              "a message of rank " + std::to_string(rank));
            });
            everyone_else([&](int rank) { mesh[rank].expect_sent(round); });
        }
        team.barrier();
    });
}

TEST_P(AllToAll, writes_and_reads) {
    run(ranks, [](Team& team) {
        Mesh mesh(team);
        constexpr std::size_t n = 3000;
        // Everyone has a place for everyone; what is written there is read back.
        Buffer places(team.nic(), ranks * n, Memory::nic), out(team.nic(), n), back(team.nic(), n);
        std::vector<std::unique_ptr<fabric::RemoteRegion>> remote;
        for (const fabric::RegionBlob& blob : team.gather(places.region().export_blob()))
            remote.push_back(team.nic().import_region(blob));
        for (int step = 1; step < ranks; ++step) {
            const int rank = (team.id() + step) % ranks;
            const fabric::RemoteSlice place =
                Buffer::at(*remote[index(rank)], index(team.id()) * n);
            out.fill(seed(team.id(), rank, 1));
            mesh[rank].write(1, out.slice(), place, Flags::remote_completion);
            mesh[rank].expect_sent(1);
            back.blank();
            mesh[rank].read(2, back.slice(), place);
            mesh[rank].expect_sent(2);
            back.check(n, seed(team.id(), rank, 1), "read back");
        }
        team.barrier();
        for (int rank = 0; rank < ranks; ++rank)
            if (rank != team.id())
                check_pattern(places.data(index(rank) * n, n), seed(rank, team.id(), 1),
                              "the place of rank " + std::to_string(rank));
        team.barrier();
    });
}

RAILYARD_CONTRACT(AllToAll);

}  // namespace
}  // namespace railyard::contract
