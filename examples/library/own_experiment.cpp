/// An experiment of one's own: how long a fetch-and-add takes, by how many are under way at once.
/// Its rows go into a file that `railyard compare` and `railyard report` read.
///
///     own_experiment FILE FABRIC...

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

void atomics_in_flight(Trial& trial) {
    Rank& rank = trial.rank();
    Nic& nic = rank.nic();
    Host& host = rank.host();

    const auto memory = nic.allocate(Bytes(4096), Access::remote_atomic);
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

    for (const unsigned in_flight : {1U, 2U, 4U, 8U}) {
        const std::array<Slice, 1> old_value{Slice(*memory, Bytes(64), Bytes(8))};
        const auto round = [&] {
            for (unsigned i = 0; i < in_flight; ++i)
                if (!pair->post({.op = Op::fetch_add,
                                 .local = old_value,
                                 .remote = {theirs.get(), Bytes(0)},
                                 .operand = 1})
                         .ok())
                    throw Error("refused");
            for (unsigned i = 0; i < in_flight; ++i) {
                Completion completion;
                host.wait_until([&] { return done->poll(completion); }, Time::never(), Wait::spin);
                if (!completion.status.ok()) throw Error(std::string(completion.status.name()));
            }
        };
        if (rank.id() != 0) break;
        const unsigned samples = trial.virtual_time() ? 5 : 50;
        auto times = time_calls(host, 10, samples, 20, round);
        for (double& time : times)
            time /= in_flight;
        trial.emit({{results::parameter::queue, std::int64_t{in_flight}},
                    {results::parameter::op, std::string(name(Op::fetch_add))}},
                   results::metric::latency, results::unit::microseconds,
                   results::summarize(times));
    }
    // Rank 1 has nothing to do but to let its Nic work, where that is up to calls, until rank 0
    // says so by one more addition.
    if (rank.id() == 0) {
        const std::array<Slice, 1> old_value{Slice(*memory, Bytes(64), Bytes(8))};
        (void)pair->post({.op = Op::fetch_add,
                          .local = old_value,
                          .remote = {theirs.get(), Bytes(128)},
                          .operand = 1});
        Completion completion;
        host.wait_until([&] { return done->poll(completion); });
    } else {
        host.wait_until([&] { return arrived(memory->data() + 128, std::byte{1}); });
    }
    rank.fence();
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3) throw UsageError("usage: own_experiment FILE FABRIC...");
    const results::Results results =
        measure({.name = "atomics-in-flight", .ranks = 2, .run = atomics_in_flight},
                std::vector<std::string>(argv + 2, argv + argc));
    for (const results::Row& row : results.rows)
        std::printf("%-16s %s in flight: %.3f us\n", row.fabric.c_str(),
                    results::to_string(row.parameters.at(results::parameter::queue)).c_str(),
                    row.value);
    write(results, argv[1]);
} catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return dynamic_cast<const UsageError*>(&error) != nullptr ? 2 : 1;
}
