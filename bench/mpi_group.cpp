/// Collectives of our MPI library beside those of the others, blocking and not, by the time of the
/// slowest rank: on as many ranks as this machine may have cores, and on more.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/contest.hpp"
#include "bench/programs.hpp"
#include "bench/suite.hpp"

namespace railyard::bench {

namespace {

/// Those that are the best in any figure; others may take many times as long on more ranks than
/// cores.
std::vector<MpiLibrary> worth_asking(const MpiLibrary& own, const std::vector<MpiLibrary>& peers,
                                     int ranks, const std::string& arguments) {
    const std::vector<Standing> once = contest(own, peers, ranks, 1, arguments);
    std::vector<MpiLibrary> asked = peers;
    std::erase_if(asked, [&](const MpiLibrary& peer) {
        return std::none_of(once.begin(), once.end(),
                            [&](const Standing& s) { return s.who == peer.name; });
    });
    return asked;
}

Target collective_target(const std::string& figure, int ranks) {
    const bool is_small = figure == "allreduce/8" || figure == "barrier/0";
    return {Target::Kind::at_most, ranks == 16 && is_small ? 0.2 : 1.0};
}

/// `mode`: what mpi_figures is asked for.
void contest_of(const Settings& settings, const Report& report, const std::string& mode) {
    const MpiLibrary own = our_mpi();
    std::vector<MpiLibrary> peers = peer_mpis();
    std::erase_if(peers, [](const MpiLibrary& peer) {
        return peer.name != "openmpi" && peer.name != "mpich";
    });
    const std::string arguments = mode + " 0.004";
    for (const int ranks : {2, 4, 8, 16}) {
        const std::vector<Standing> standings = contest(
            own, worth_asking(own, peers, ranks, arguments), ranks, settings.rounds, arguments);
        double logarithms = 0;
        double compared = 0;
        for (const Standing& s : standings) {
            if (s.ratio) {
                logarithms += std::log(*s.ratio);
                ++compared;
            }
            report({.name = fmt::format("mpi/{}-ranks/{}", ranks, s.figure),
                    .unit = unit_of(s.figure),
                    .ours = s.ours,
                    .reference = s.theirs,
                    .ratio = s.ratio,
                    .target = collective_target(s.figure, ranks),
                    .note = s.note});
        }
        if (compared == 0) continue;
        report({.name = fmt::format("mpi/{}-ranks/{}", ranks, mode),
                .unit = "1",
                .ours = std::exp(logarithms / compared),
                .target = Target{Target::Kind::at_most, ranks == 2 ? 0.8 : 0.6, 0, true},
                .note = "geometric mean of these ratios"});
    }
}

}  // namespace

void mpi_group(const Settings& settings, const Report& report) {
    contest_of(settings, report, "group");
}

void mpi_nonblocking(const Settings& settings, const Report& report) {
    contest_of(settings, report, "started");
}

}  // namespace railyard::bench
