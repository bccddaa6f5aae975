/// An MPI executable in virtual time: how long many ranks take to start, what a message costs
/// beside a built-in program, and the same source in SimGrid's SMPI.

#include <fmt/format.h>

#include <string>

#include "bench/programs.hpp"
#include "bench/smpi.hpp"
#include "bench/suite.hpp"
#include "railyard/base/error.hpp"

namespace railyard::bench {

namespace {

/// A kernel as an executable, beside the same one built in; start and computing included.
void messages_beside_builtin(const Settings& settings, const Report& report) {
    const std::string folder = own_folder().string();
    const auto time = [&](const std::string& program) {
        return processor_seconds(
            fmt::format("'{}/railyard' run --summary none --compute none --on infiniband-pcie "
                        "-n 16 {} --class S",
                        folder, program));
    };
    const Score score = duel(
        settings.rounds, [&] { return time("'" + folder + "/cg'"); }, [&] { return time("cg"); });
    report({.name = "executables/messages/16",
            .unit = "s",
            .ours = score.ours,
            .reference = score.reference,
            .ratio = score.ratio,
            .target = Target{Target::Kind::at_most, 1.1},
            .note = "cg, class S, beside the same built in"});
}

}  // namespace

void executables(const Settings& settings, const Report& report) {
    constexpr int most_ranks = 1024;
    const Exchanges exchanges(most_ranks);
    const auto ours = [&](int ranks, const std::string& what) {
        return processor_seconds(exchanges.ours(ranks, what));
    };
    report({.name = "executables/start/1024",
            .unit = "s",
            .ours = ours(1024, "halo 0"),
            .target = Target{Target::Kind::at_most, 3, 0, true},
            .note = "from the command to its end; the program makes a square of ranks"});

    messages_beside_builtin(settings, report);

    struct Exchange {
        const char* what;
        int ranks;
        int rounds;
    };
    for (const auto& [what, ranks, rounds] :
         {Exchange{"halo", 64, 400}, Exchange{"halo", 256, 100}, Exchange{"halo", 1024, 25},
          Exchange{"alltoall", 64, 4}, Exchange{"alltoall", 256, 1}}) {
        const std::string words = fmt::format("{} {}", what, rounds);
        Figure figure{.name = fmt::format("executables/{}/{}", what, ranks),
                      .unit = "s",
                      .note = fmt::format("{} rounds on infiniband-pcie", rounds)};
        if (!exchanges.has_smpi()) {
            figure.ours = ours(ranks, words);
            report(figure);
            continue;
        }
        // On more ranks SMPI takes its time, and differs enough.
        const Score score = duel(
            ranks > 64 ? 1 : settings.rounds, [&] { return ours(ranks, words); },
            [&] { return processor_seconds(exchanges.smpi(ranks, words)); });
        figure.ours = score.ours;
        figure.reference = score.reference;
        figure.ratio = score.ratio;
        figure.target = Target{Target::Kind::at_most, 1};
        figure.note += ", beside SMPI";
        report(figure);
    }
}

}  // namespace railyard::bench
