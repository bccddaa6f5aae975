#pragma once
/// Runs what the papers state on the models of their interconnects, and says
/// where the models agree.

#include <span>
#include <string>
#include <vector>

#include "reproduce/verdict.hpp"

namespace railyard::reproduce {

/// Records by paper and by a pattern such as "liu04.latency.*" or "hotspot-*" for id or experiment;
/// an empty word takes all. Throws UsageError for a paper that is not there, or when nothing is
/// left.
std::vector<Record> choose(std::span<const Record> records, const std::string& paper,
                           const std::string& only);

struct Reproduction {
    std::vector<Verdict> verdicts{};
    std::vector<results::Row> rows{};  ///< all that was measured
};

/// `chosen` are among `all`.
Reproduction reproduce(std::span<const Record> chosen, std::span<const Record> all,
                       std::span<const Exception> exceptions, const Progress& progress,
                       unsigned jobs = 0);

}  // namespace railyard::reproduce
