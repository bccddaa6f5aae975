/// Rank 0 writes into rank 1's memory, which takes no part, and then adds to a counter there. Rank
/// 1 watches its memory: no receive, no completion, no call of the network's.
///
///     rdma_write [FABRIC]

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "railyard/library/job.hpp"

using namespace railyard;
using namespace railyard::fabric;

namespace {

constexpr std::string_view text = "written from afar";
constexpr Bytes counter(64);  // where the counter lies in the region: a multiple of eight
constexpr Bytes size(128);
constexpr std::byte last{0xff};  // behind the text; it arrives after all that was written before

/// What a peer must know of a rank, exchanged once.
struct Card {
    Address address;
    RegionBlob region;
};

void write_afar(Rank& rank) {
    Nic& nic = rank.nic();
    Host& host = rank.host();
    if (nic.traits().placement != Placement::last_byte_last)
        throw Error(nic.traits().name + " places bytes in any order: use Op::rdma_write_imm");

    const auto memory = nic.allocate(size, Access::remote_write | Access::remote_atomic);
    const auto cards = rank.gather("card", Card{nic.address(), memory->export_blob()});
    const Card& peer = cards[static_cast<std::size_t>(1 - rank.id())];

    const auto done = nic.create_completion_queue(16);
    const auto receives = nic.create_receive_queue(1);  // needed, though nobody sends
    const auto pair = nic.create_queue_pair({.send_completions = done.get(),
                                             .receive_completions = done.get(),
                                             .receives = receives.get()});
    if (!pair->connect_peer(peer.address, 1, {}, host.now() + Duration::s(10)).ok())
        throw Error("cannot connect");
    host.wait_until([&] { return pair->state() != ConnectionState::connecting; });
    if (pair->state() != ConnectionState::connected)
        throw Error("cannot connect: " + std::string(pair->reason().name()));

    if (rank.id() == 0) {
        const auto theirs = nic.import_region(peer.region);
        std::memcpy(memory->data(), text.data(), text.size());
        memory->data()[text.size()] = last;
        const std::array<Slice, 1> message{Slice(*memory, Bytes(0), Bytes(text.size() + 1))};
        const std::array<Slice, 1> old_value{Slice(*memory, counter, Bytes(8))};
        const std::array<WorkRequest, 2> requests{{
            {.id = 1,
             .op = Op::fetch_add,
             .local = old_value,
             .remote = {theirs.get(), counter},
             .operand = 42},
            // The fence: not before the counter was added to.
            {.id = 2,
             .op = Op::rdma_write,
             .flags = Flags::fence,
             .local = message,
             .remote = {theirs.get(), Bytes(0)}},
        }};
        if (pair->post(requests).count != requests.size()) throw Error("refused");
        for (std::size_t i = 0; i < requests.size(); ++i) {
            Completion completion;
            host.wait_until([&] { return done->poll(completion); });
            if (!completion.status.ok())
                throw Error(std::string(name(completion.op)) + ": " +
                            std::string(completion.status.name()));
        }
    } else {
        host.wait_until([&] { return arrived(memory->data() + text.size(), last); });
        std::uint64_t count = 0;
        std::memcpy(&count, memory->data() + counter.count(), sizeof count);
        std::printf("rank 1 on %s finds '%.*s' and %llu\n", nic.traits().name.c_str(),
                    static_cast<int>(text.size()), reinterpret_cast<const char*>(memory->data()),
                    static_cast<unsigned long long>(count));
    }
    rank.fence();  // The memory stays until both are through.
}

}  // namespace

int main(int argc, char** argv) try {
    const JobResult result = run({.fabric = argc > 1 ? argv[1] : "shm"}, write_afar);
    if (!result.ok) std::fprintf(stderr, "%s\n", result.failure.c_str());
    return result.exit_code;
} catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
