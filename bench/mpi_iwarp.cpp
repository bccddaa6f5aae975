/// Our MPI library over iWARP beside other MPI libraries over TCP, two ranks on the loopback. No
/// other one has a CRC of its own, so ours has none here.

#include <fmt/format.h>

#include <algorithm>

#include "bench/mpi_contest.hpp"
#include "bench/suite.hpp"

namespace railyard::bench {

namespace {

Target target_of(const std::string& figure) {
    using Kind = Target::Kind;
    if (figure.starts_with("rate")) return {Kind::at_least, 3};
    if (figure.starts_with("bandwidth")) return {Kind::at_least, 1};
    const long size = std::stol(figure.substr(figure.find('/') + 1));
    return {Kind::at_most, size <= 64 << 10 ? 0.9 : 1.0};
}

}  // namespace

void mpi_iwarp(const Settings& settings, const Report& report) {
    for (const Standing& s :
         contest(our_mpi_on_iwarp(), peer_mpis_on_tcp(), std::min(settings.rounds, 3u), "network"))
        report({.name = "iwarp-mpi/" + s.figure,
                .unit = unit_of(s.figure),
                .ours = s.ours,
                .reference = s.theirs,
                .ratio = s.ratio,
                .target = target_of(s.figure),
                .note = s.who});
}

}  // namespace railyard::bench
