#pragma once
/// Our MPI library against others, in turns: what disturbs the machine disturbs all of them.

#include <map>
#include <string>
#include <vector>

#include "bench/mpi_libraries.hpp"

namespace railyard::bench {

using Values = std::map<std::string, double>;  ///< by figure: "latency/64"

struct Best {
    double value = 0;
    std::string who;
};
Best best_of(const std::map<std::string, Values>& peers, const std::string& figure);

/// One figure: ours, the best of the others, and the ratio of the two; medians of the rounds.
struct Standing {
    std::string figure;
    double ours = 0;
    double theirs = 0;
    double ratio = 0;
    std::string who;
};
/// Two ranks of each library measure what `arguments` ask for, `rounds` times. By kind and size.
std::vector<Standing> contest(const MpiLibrary& own, const std::vector<MpiLibrary>& peers,
                              unsigned rounds, const std::string& arguments);

std::string unit_of(const std::string& figure);

}  // namespace railyard::bench
