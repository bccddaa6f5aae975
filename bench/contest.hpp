#pragma once
/// Our MPI library against others, in turns: what disturbs the machine disturbs all of them.

#include <optional>
#include <string>
#include <vector>

#include "bench/programs.hpp"

namespace railyard::bench {

/// One figure: ours, the best of the others, and the ratio of the two; medians of the rounds.
struct Standing {
    std::string figure;  ///< "latency/64"
    double ours = 0;
    std::optional<double> theirs{};  ///< none: no other one has it
    std::optional<double> ratio{};
    std::string who{};   ///< is the best of them
    std::string note{};  ///< that, and whose figure is not available
};

/// So many ranks of each library measure what `arguments` ask for, `rounds` times. By kind and
/// size. What a peer cannot do here it does not print, and has no figure of.
std::vector<Standing> contest(const MpiLibrary& own, const std::vector<MpiLibrary>& peers,
                              int ranks, unsigned rounds, const std::string& arguments);

bool less_is_better(const std::string& figure);
std::string unit_of(const std::string& figure);

}  // namespace railyard::bench
