#pragma once
/// Carries out a plan: runs each experiment on each fabric, a job for each of its variants, and
/// collects their rows.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/core/plan.hpp"
#include "results/row.hpp"

namespace railyard::experiments {

struct Outcome {
    std::vector<results::Row> rows;  ///< of all that ended well
    std::string failure;             ///< empty if all did; else what failed, where and why
    int exit_code = 0;               ///< then, what a program should exit with
};

/// The fabric that rows of raw experiments name: the machine itself.
inline constexpr std::string_view host_fabric = "host";

/// Hears what is being done: "latency-uni on shm: rdma_write 64 KiB". Called by rank 0, which may
/// be another process than the caller's.
using Progress = std::function<void(std::string_view)>;

/// Checks the plan (see plan.hpp), then measures, and ends at the first experiment that fails. What
/// runs in virtual time is spread over `jobs` processes, none: as many as there are cores; it gives
/// the same rows in the same order.
Outcome run(const Plan& plan, const Progress& progress, unsigned jobs = 0);
/// The same for several plans, of which one that fails does not end the others.
std::vector<Outcome> run(std::span<const Plan> plans, const Progress& progress, unsigned jobs = 0);

}  // namespace railyard::experiments
