/// Many ranks on few cores, many connections, and ranks that do nothing.

#include <sys/resource.h>

#include <memory>
#include <numeric>
#include <string>

#include "bench/duel.hpp"
#include "bench/mesh.hpp"
#include "bench/suite.hpp"
#include "railyard/host.hpp"

namespace railyard::bench {

namespace {

std::vector<int> everybody_but(int me, int ranks) {
    std::vector<int> peers;
    for (int rank = 0; rank < ranks; ++rank)
        if (rank != me) peers.push_back(rank);
    return peers;
}

/// The processor time that this process has used, in seconds.
double processor_time() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

void all_to_all(const Settings& settings, const Report& report) {
    constexpr int ranks = 64;
    const auto delivered = run_job(ranks, [&](job::Rank& rank) {
        job::Bootstrap& bootstrap = rank.bootstrap();
        fabric::Host& host = rank.host();
        rank.nic();
        // From before rank 0 lets the others start until all have ended: two fences are included.
        const auto timed = [&](auto work) {
            bootstrap.fence();
            const Time start = host.now();
            bootstrap.fence();
            work();
            bootstrap.fence();
            return (host.now() - start).seconds();
        };
        std::unique_ptr<Mesh> mesh;
        const double connecting = timed(
            [&] { mesh = std::make_unique<Mesh>(rank, "mesh", everybody_but(rank.id(), ranks)); });
        std::vector<double> exchanges;
        for (unsigned i = 0; i < settings.rounds; ++i)
            exchanges.push_back(timed([&] { mesh->exchange(); }));
        // The first exchange is the one that finds everything cold; it counts with the connecting.
        if (rank.id() == 0) rank.deliver(pack({connecting + exchanges.front(), median(exchanges)}));
        bootstrap.fence();
    });
    const auto n = unpack(delivered.at(0));
    const Target target{Target::Kind::at_most, 0.5, 0, true};
    report({.name = "all-to-all/connected",
            .unit = "s",
            .ours = n.at(1),
            .target = target,
            .note = "64 ranks, 8 bytes, median"});
    report({.name = "all-to-all/from-nothing",
            .unit = "s",
            .ours = n.at(0),
            .target = target,
            .note = "2016 connections made, then the first exchange"});
}

void idle(const Settings&, const Report& report) {
    constexpr int ranks = 8;
    constexpr Duration span = Duration::s(3);
    const double launcher_before = processor_time();
    const auto delivered = run_job(ranks, [&](job::Rank& rank) {
        Mesh mesh(rank, "mesh", everybody_but(rank.id(), ranks));
        mesh.exchange();
        rank.bootstrap().fence();
        fabric::Host& host = rank.host();
        fabric::Completion completion;
        const double before = processor_time();
        host.wait_until([&] { return mesh.completions().poll(completion); }, host.now() + span);
        rank.deliver(pack({processor_time() - before}));
        rank.bootstrap().fence();
    });
    double used = processor_time() - launcher_before;
    for (const auto& text : delivered)
        used += unpack(text).at(0);
    report({.name = "idle",
            .unit = "of a core",
            .ours = used / span.seconds(),
            .target = Target{Target::Kind::at_most, 0.02, 0, true},
            .note = "8 connected ranks wait for 3 s, launcher included"});
}

void empty_poll(const Settings& settings, const Report& report) {
    constexpr unsigned few = 2;
    constexpr unsigned many = 256;
    const auto delivered = run_job(2, [&](job::Rank& rank) {
        const auto cost = [&](unsigned connections, const std::string& tag) {
            Mesh mesh(rank, tag, std::vector<int>(connections, 1 - rank.id()));
            mesh.exchange();
            rank.bootstrap().fence();
            std::vector<double> samples;
            if (rank.id() == 0) {
                constexpr unsigned batch = 10'000;
                fabric::Completion completion;
                for (unsigned sample = 0; sample < 20; ++sample) {
                    const Time start = rank.host().now();
                    for (unsigned i = 0; i < batch; ++i)
                        mesh.completions().poll(completion);
                    samples.push_back((rank.host().now() - start).nanoseconds() / batch);
                }
            }
            rank.bootstrap().fence();
            return samples.empty() ? 1.0 : median(samples);
        };
        unsigned round = 0;
        const Score score = duel(
            settings.rounds, [&] { return cost(many, "many" + std::to_string(round++)); },
            [&] { return cost(few, "few" + std::to_string(round)); });
        if (rank.id() == 0) rank.deliver(pack({score.ours, score.reference, score.ratio}));
    });
    const auto n = unpack(delivered.at(0));
    report({.name = "empty-poll",
            .unit = "ns",
            .ours = n.at(0),
            .reference = n.at(1),
            .ratio = n.at(2),
            .target = Target{Target::Kind::within, 1.0, 0.2},
            .note = "256 connections; with 2"});
}

}  // namespace railyard::bench
