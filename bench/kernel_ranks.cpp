/// NAS kernels of class A on as many ranks as cores, or a few more where they take squares only,
/// beside one rank.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "bench/duel.hpp"
#include "bench/kernel_program.hpp"
#include "bench/suite.hpp"

namespace railyard::bench {

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
