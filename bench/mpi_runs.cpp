/// Whole programs through mpiexec: many ranks that do nothing, what a rank takes while it does, and
/// NAS kernels on several ranks.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "bench/programs.hpp"
#include "bench/suite.hpp"
#include "railyard/base/error.hpp"

namespace railyard::bench {

namespace {

double seconds_to_run(const MpiLibrary& library, int ranks) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    library.measure(ranks, "empty");
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

void mpi_start(const Settings& settings, const Report& report) {
    constexpr int ranks = 64;
    const MpiLibrary own = our_mpi();
    double ours = seconds_to_run(own, ranks);
    for (unsigned i = 1; i < settings.rounds; ++i)
        ours = std::min(ours, seconds_to_run(own, ranks));
    double theirs = 1e9;
    double their_memory = 1e9;
    std::string who;
    for (const MpiLibrary& peer : peer_mpis()) {
        // Over UCX it is the same library.
        if (peer.name != "mpich" && peer.name != "openmpi") continue;
        if (const double t = seconds_to_run(peer, ranks); t < theirs) {
            theirs = t;
            who = peer.name;
        }
        their_memory = std::min(their_memory, peer.measure(2, "memory").at("memory/2"));
    }
    report({.name = "mpi/start/64",
            .unit = "s",
            .ours = ours,
            .reference = theirs,
            .ratio = ours / theirs,
            .target = Target{Target::Kind::at_most, 0.15, 0, true},
            .note = fmt::format("an empty program, beside {}", who)});
    report({.name = "mpi/memory",
            .unit = "KiB",
            .ours = own.measure(ranks, "memory").at(fmt::format("memory/{}", ranks)),
            .reference = their_memory,
            .target = Target{Target::Kind::at_most, 1000, 0, true},
            .note = "a rank of 64 after MPI_Init; the reference is the better peer with 2 ranks"});
}

/// What a run takes that is recorded, beside one that is not.
void mpi_recording(const Settings& settings, const Report& report) {
    const MpiLibrary plain = our_mpi();
    MpiLibrary recorded = plain;
    recorded.launcher += " --trace /dev/null";
    Figures with = recorded.measure(1, "calls");
    Figures without = plain.measure(1, "calls");
    for (unsigned i = 1; i < settings.rounds; ++i) {
        for (const auto& [name, value] : recorded.measure(1, "calls"))
            with[name] = std::min(with[name], value);
        for (const auto& [name, value] : plain.measure(1, "calls"))
            without[name] = std::min(without[name], value);
    }
    for (const auto& [name, value] : with)
        report({.name = "recording/" + name,
                .unit = "ns",
                .ours = value - without[name],
                .target = Target{Target::Kind::at_most, 40, 0, true},
                .note = name == "call/0" ? "more for MPI_Comm_rank"
                                         : "more for each of MPI_Isend, MPI_Recv and MPI_Wait"});
    for (const KernelProgram& kernel :
         {KernelProgram{"cg", "A"}, KernelProgram{"lu", "A", "--iterations 20"}}) {
        KernelProgram with_trace = kernel;
        with_trace.launched = "--trace /dev/null";
        const Score score = duel(
            std::min(settings.rounds, 5U), [&] { return with_trace.seconds(2); },
            [&] { return kernel.seconds(2); });
        report({.name = "recording/" + kernel.kernel,
                .unit = "s",
                .ours = score.ours,
                .reference = score.reference,
                .ratio = score.ratio,
                .target = Target{Target::Kind::at_most, 1.03},
                .note = "class A on 2 ranks, beside the same without --trace"});
    }
}

/// NAS kernels of class A on as many ranks as cores, or a few more where they take squares only,
/// beside one rank.
void kernel_ranks(const Settings& settings, const Report& report) {
    struct Case {
        KernelProgram program;
        int ranks;
        std::optional<Target> target = Target{Target::Kind::at_least, 1.6};
    };
    // Fewer steps than the class has: each is like the others.
    const std::array cases{Case{{"cg", "A", "--iterations 5"}, 2},
                           Case{{"mg", "A"}, 2},
                           Case{{"ft", "A", "--iterations 3"}, 2},
                           Case{{"lu", "A", "--iterations 20"}, 2, std::nullopt},
                           Case{{"sp", "A", "--iterations 30"}, 4},
                           Case{{"bt", "A", "--iterations 15"}, 4}};
    for (const Case& one : cases) {
        const KernelProgram& program = one.program;
        const int ranks = one.ranks;
        const Score score = duel(
            std::min(settings.rounds, 5U), [&] { return 1 / program.seconds(ranks); },
            [&] { return 1 / program.seconds(1); });
        report({.name = fmt::format("kernel/{}/{}-ranks", program.kernel, ranks),
                .unit = "runs/s",
                .ours = score.ours,
                .reference = score.reference,
                .ratio = score.ratio,
                .target = one.target,
                .note = fmt::format("class A{}{}, beside one rank",
                                    program.options.empty() ? "" : " ", program.options)});
    }
}

}  // namespace railyard::bench
