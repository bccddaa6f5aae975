#pragma once
/// Ours against the reference, in one job on the same two cores, taking turns: what disturbs the
/// machine disturbs both.

#include <functional>
#include <string>
#include <vector>

#include "launch/job/job.hpp"

namespace railyard::bench {

double median(std::vector<double> values);

struct Score {
    double ours = 0;       ///< median of the rounds
    double reference = 0;  ///< likewise
    double ratio = 0;      ///< median of the rounds' ratios
};

/// Calls both `rounds` times in turn. Every rank of the job takes part; the result is of interest
/// on rank 0.
Score duel(unsigned rounds, const std::function<double()>& ours,
           const std::function<double()>& reference);

/// Runs `body` on that many ranks of shm and returns what rank 0 and all others delivered. Throws
/// Error when the job fails.
std::vector<std::string> run_job(int ranks, const job::Body& body);

/// How measured numbers travel from a rank to the bench: as their bytes.
std::string pack(const std::vector<double>& numbers);
std::vector<double> unpack(const std::string& text);

}  // namespace railyard::bench
