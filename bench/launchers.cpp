/// Start to end of an empty program under launchers of others, beside the library that the launcher
/// is made for: hydra's and Slurm's two nodes, which are this machine.

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bench/programs.hpp"
#include "bench/suite.hpp"
#include "railyard/base/error.hpp"

namespace railyard::bench {

namespace {

struct Trial {
    std::string name;
    std::string launcher;  ///< a command line up to the program
    std::string peer;      ///< whose time half of ours is to be
};

/// A shell script that runs both in turn and prints whose, and how many nanoseconds.
std::string timed(const Trial& trial, const MpiLibrary& own, const MpiLibrary& peer,
                  unsigned rounds) {
    std::string script = fmt::format("for i in $(seq {}); do ", rounds);
    for (const MpiLibrary* library : {&own, &peer})
        script += fmt::format(
            "t=$(date +%s%N); timeout 60 {} {} empty > /dev/null 2>&1 < /dev/null || exit 1; "
            "echo {} {} $(($(date +%s%N) - t)); ",
            trial.launcher, library->program, trial.name, library->name);
    return script + "done\n";
}

/// By trial and library, in seconds.
using Times = std::map<std::string, std::map<std::string, std::vector<double>>>;

void read_times(const std::string& printed, Times& times) {
    std::istringstream lines(printed);
    std::string trial;
    std::string library;
    for (double nanoseconds = 0; lines >> trial >> library >> nanoseconds;)
        times[trial][library].push_back(nanoseconds / 1e9);
}

}  // namespace

void launchers(const Settings& settings, const Report& report) {
    const MpiLibrary own = our_mpi();
    std::map<std::string, MpiLibrary> peers;
    for (const MpiLibrary& peer : peer_mpis())
        peers.emplace(peer.name, peer);
    const Trial hydra{"hydra/64", "mpiexec.hydra -n 64", "mpich"};
    const std::vector<Trial> slurm{
        {"srun-pmi2/32", "srun --overlap --mpi=pmi2 -N2 -n32", "mpich"},
        {"srun-pmix/32", "srun --overlap --mpi=pmix -N2 -n32", "openmpi"}};

    Times times;
    if (peers.contains(hydra.peer))
        read_times(
            output_of("bash -c '" + timed(hydra, own, peers.at(hydra.peer), settings.rounds) + "'"),
            times);
    std::string script;
    for (const Trial& trial : slurm)
        if (peers.contains(trial.peer))
            script += timed(trial, own, peers.at(trial.peer), settings.rounds);
    const std::string cluster = RAILYARD_SOURCE_DIR "/tests/launch/managers/launchers/slurm";
    if (!script.empty())
        read_times(
            output_of(fmt::format("'{}' salloc -Q -N2 -n32 --ntasks-per-node=16 bash -c '{}'",
                                  cluster, script)),
            times);

    for (const Trial& trial : {hydra, slurm[0], slurm[1]}) {
        const auto found = times.find(trial.name);
        if (found == times.end()) continue;
        const double ours = median(found->second["ours"]);
        const double theirs = median(found->second[trial.peer]);
        report({.name = "launch/" + trial.name,
                .unit = "s",
                .ours = ours,
                .reference = theirs,
                .ratio = ours / theirs,
                .target = Target{Target::Kind::at_most, 0.5},
                .note = fmt::format("an empty program, beside {}", trial.peer)});
    }
}

}  // namespace railyard::bench
