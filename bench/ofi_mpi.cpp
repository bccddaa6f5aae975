/// Our MPI library over libfabric's tcp beside others over TCP, two ranks, and what a rank takes.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "bench/contest.hpp"
#include "bench/programs.hpp"
#include "bench/suite.hpp"

namespace railyard::bench {

namespace {

Target target_of_ofi(const std::string& figure, bool is_best) {
    using Kind = Target::Kind;
    if (figure.starts_with("rate")) return {Kind::at_least, 2};
    if (figure.starts_with("bandwidth")) return {Kind::at_least, is_best ? 0.9 : 1};
    return {Kind::at_most, is_best ? 1.1 : 1};
}

void report_memory(const std::string& over, std::optional<Target> target, const Report& report) {
    const std::string name = over == "tcp" ? "memory" : "memory/rxm";
    report({.name = "mpi-ofi/" + name,
            .unit = "KiB",
            .ours = our_mpi_on_ofi(over).measure(2, "memory").at("memory/2"),
            .target = target,
            .note = fmt::format("a rank of 2 after MPI_Init, over {}", over)});
}

}  // namespace

void mpi_ofi(const Settings& settings, const Report& report) {
    const std::vector<MpiLibrary> all = peer_mpis_on_tcp();
    std::vector<MpiLibrary> mpich;
    std::ranges::copy_if(all, std::back_inserter(mpich),
                         [](const MpiLibrary& library) { return library.name == "mpich"; });
    for (const bool is_best : {true, false}) {
        const auto& peers = is_best ? all : mpich;
        if (peers.empty()) continue;
        for (const Standing& s :
             contest(our_mpi_on_ofi("tcp"), peers, 2, std::min(settings.rounds, 3u), "network"))
            report({.name = (is_best ? "mpi-ofi/" : "mpi-ofi/mpich/") + s.figure,
                    .unit = unit_of(s.figure),
                    .ours = s.ours,
                    .reference = s.theirs,
                    .ratio = s.ratio,
                    .target = target_of_ofi(s.figure, is_best),
                    .note = s.note});
    }
    report_memory("tcp", Target{Target::Kind::at_most, 4096, 0, true}, report);
    report_memory("tcp;ofi_rxm", std::nullopt, report);
}

}  // namespace railyard::bench
