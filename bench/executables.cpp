/// An MPI executable in virtual time: how long many ranks take to start, what a message costs
/// beside a built-in program, and the same source in SimGrid's SMPI.

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/programs.hpp"
#include "bench/suite.hpp"
#include "railyard/base/error.hpp"

namespace railyard::bench {

namespace {

namespace fs = std::filesystem;

/// Processor time of what the command runs, so that other load counts little.
double processor_seconds(const std::string& command) {
    const auto used = [] {
        rusage usage{};
        ::getrusage(RUSAGE_CHILDREN, &usage);
        const auto seconds = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
        };
        return seconds(usage.ru_utime) + seconds(usage.ru_stime);
    };
    const double before = used();
    output_of(command);
    return used() - before;
}

struct Workplace {
    Workplace() { fs::create_directories(folder); }

    /// The program of bench/mpi/exchanges.c by that compiler.
    std::string program(const std::string& compiler, const std::string& name) const {
        const fs::path path = folder / name;
        output_of(fmt::format("{} -O2 '{}/bench/mpi/exchanges.c' -o '{}' 2>&1", compiler,
                              RAILYARD_SOURCE_DIR, path.string()));
        return path.string();
    }
    /// A cluster as SMPI wants it described, and its hosts; the words that name them.
    std::string platform(int most) const {
        std::ofstream(folder / "cluster.xml") << fmt::format(
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
            "\"https://simgrid.org/simgrid.dtd\">\n"
            "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" "
            "radical=\"0-{}\" speed=\"1Gf\" bw=\"1GBps\" lat=\"2us\"/></platform>\n",
            most - 1);
        std::ofstream hosts(folder / "hosts");
        for (int i = 0; i < most; ++i)
            hosts << "n" << i << "\n";
        return fmt::format("-platform '{0}/cluster.xml' -hostfile '{0}/hosts'", folder.string());
    }

    fs::path folder = own_folder() / "../bench/executables";
};

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
    const Workplace workplace;
    const std::string folder = own_folder().string();
    const std::string program = workplace.program("'" + folder + "/mpicc'", "exchanges");
    const auto ours = [&](int ranks, const std::string& what) {
        return processor_seconds(
            fmt::format("'{}/railyard' run --summary none --compute none --on infiniband-pcie -n "
                        "{} '{}' {}",
                        folder, ranks, program, what));
    };
    report({.name = "executables/start/1024",
            .unit = "s",
            .ours = ours(1024, "halo 0"),
            .target = Target{Target::Kind::at_most, 3, 0, true},
            .note = "from the command to its end; the program makes a square of ranks"});

    messages_beside_builtin(settings, report);

    const bool has_smpi = std::system("command -v smpicc > /dev/null 2>&1") == 0;
    const std::string their_program = has_smpi ? workplace.program("smpicc", "exchanges.smpi") : "";
    const std::string platform = workplace.platform(1024);
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
        if (!has_smpi) {
            figure.ours = ours(ranks, words);
            report(figure);
            continue;
        }
        // On more ranks SMPI takes its time, and differs enough.
        const Score score = duel(
            ranks > 64 ? 1 : settings.rounds, [&] { return ours(ranks, words); },
            [&] {
                return processor_seconds(
                    fmt::format("smpirun {} --cfg=smpi/simulate-computation:no "
                                "--log=root.thres:critical -np {} '{}' {} 2>&1",
                                platform, ranks, their_program, words));
            });
        figure.ours = score.ours;
        figure.reference = score.reference;
        figure.ratio = score.ratio;
        figure.target = Target{Target::Kind::at_most, 1};
        figure.note += ", beside SMPI";
        report(figure);
    }
}

}  // namespace railyard::bench
