/// The same code on shared memory, on RDMA over TCP and on a model of InfiniBand of 2004, with the
/// latency of each: two run for real, the third in virtual time, and the code does not know.
///
///     one_program_three_networks [FABRIC...]

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "railyard/library/experiment.hpp"

using namespace railyard;
using namespace railyard::fabric;

namespace {

struct Card {
    Address address;
    RegionBlob region;
};

/// Eight bytes by RDMA write, found by watching memory.
void latency(Trial& trial) {
    Rank& rank = trial.rank();
    Nic& nic = rank.nic();
    Host& host = rank.host();

    const auto memory = nic.allocate(Bytes(4096), Access::remote_write);
    const auto cards = rank.gather("card", Card{nic.address(), memory->export_blob()});
    const Card& peer = cards[static_cast<std::size_t>(1 - rank.id())];
    const auto done = nic.create_completion_queue(64);
    const auto receives = nic.create_receive_queue(1);  // needed, though nobody sends
    const auto pair = nic.create_queue_pair({.send_completions = done.get(),
                                             .receive_completions = done.get(),
                                             .receives = receives.get()});
    if (!pair->connect_peer(peer.address, 1, {}, host.now() + Duration::s(10)).ok())
        throw Error("cannot connect");
    host.wait_until([&] { return pair->state() != ConnectionState::connecting; });
    const auto theirs = nic.import_region(peer.region);

    constexpr std::size_t in = 1024;  // what comes lies apart from what goes
    std::uint8_t stamp = 0;
    const std::array<Slice, 1> from{Slice(*memory, Bytes(0), Bytes(8))};
    const auto write = [&] {
        memory->data()[7] = std::byte{stamp};
        if (!pair->post({.op = Op::rdma_write,
                         .flags = Flags::unsignalled,
                         .local = from,
                         .remote = {theirs.get(), Bytes(in)}})
                 .ok())
            throw Error("refused");
    };
    const auto await = [&] {
        host.wait_until([&] { return arrived(memory->data() + in + 7, std::byte{stamp}); },
                        Time::never(), Wait::spin);
    };
    const auto round_trip = [&] {
        stamp = static_cast<std::uint8_t>(stamp % 255 + 1);
        if (rank.id() == 0) write();
        await();
        if (rank.id() == 1) write();
    };
    const unsigned samples = trial.virtual_time() ? 5 : 50;
    auto times = time_calls(host, 20, samples, 20, round_trip);
    for (double& time : times)
        time /= 2;
    trial.emit({{results::parameter::message_bytes, std::int64_t{8}}}, results::metric::latency,
               results::unit::microseconds, results::summarize(times));
    rank.fence();
}

}  // namespace

int main(int argc, char** argv) try {
    std::vector<std::string> on(argv + 1, argv + argc);
    if (on.empty()) on = {"shm", "iwarp", "infiniband-pcie"};
    for (const results::Row& row : measure({.name = "write", .ranks = 2, .run = latency}, on).rows)
        std::printf("%-18s %8.3f %s\n", row.fabric.c_str(), row.value, row.unit.c_str());
} catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
