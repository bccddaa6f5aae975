#pragma once
/// A kernel run in virtual time, and what came of it: exit codes, what it printed, and whom each
/// rank talked to. Point-to-point calls of this test program are noted on their way into the
/// library.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace railyard::kernels {

struct VirtualRun {
    bool ended_well = false;  ///< no rank failed, or waited for ever
    std::string failure;
    std::vector<int> exit_codes;          ///< by rank
    std::string output;                   ///< of all ranks
    std::string errors;                   ///< likewise
    std::vector<std::set<int>> partners;  ///< by rank: other ranks named in point-to-point calls
    std::vector<int> sends;               ///< by rank: point-to-point messages
    int wildcards = 0;                    ///< receives from any source
    std::vector<double> connections;      ///< by rank: those that its library made

    bool verified() const;  ///< all ranks return 0 and the output says so
    double mean_connections() const;
};

/// For tests at several numbers of ranks: their parameter, and their name, such as "clan_via_16".
using FabricAndRanks = std::tuple<const char*, int>;
std::string name_of(const testing::TestParamInfo<FabricAndRanks>& test);

/// Settings of the MPI library by name and value.
using MpiSettings = std::vector<std::pair<std::string, std::string>>;

/// `words` is the command line: the kernel's name and its options.
VirtualRun run(const std::vector<std::string>& words, int ranks, const std::string& fabric,
               const MpiSettings& settings = {});

/// That many ranks are too many, or not of the right kind: all end with 2, nothing is printed, and
/// one line says why.
void expect_refused(const std::vector<std::string>& words, int ranks, const std::string& why);

/// Runs one iteration on cLAN's VIA, with the collectives of the library that was measured there: a
/// hypercube for barriers, binomial trees from rank 0 for the rest.
VirtualRun run_as_on_clan(const std::string& kernel, const std::string& problem_class, int ranks);

}  // namespace railyard::kernels
