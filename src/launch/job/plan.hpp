#pragma once
/// A job's options with every default filled in and every contradiction refused.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "launch/job/job.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/fabric.hpp"

namespace railyard::interconnects {
struct Entry;
}
namespace railyard::sim {
class Engine;
}

namespace railyard::job {

struct Plan {
    int ranks = 0;
    const interconnects::Entry* fabric = nullptr;
    /// For ranks on different nodes, where the first does not cross them. Null: it serves all.
    const interconnects::Entry* fabric_between = nullptr;
    bool node_memory = false;  ///< see Options
    Kind kind = Kind::processes;
    std::vector<fabric::NodeId> nodes;  ///< one a rank
    std::vector<int> cores;             ///< one a rank, or empty: do not pin
    bool shares_core = false;           ///< more ranks than cores
    bool label_output = false;
    Settings settings{};
    std::filesystem::path trace{};  ///< empty: none
    TraceAbove trace_above{};
    bool account_for_parts = false;
    Bytes stack{};  ///< 0: as the engine has it
    /// How the job's fabric is opened, if not as ever; of virtual ones.
    std::function<std::unique_ptr<fabric::Fabric>(sim::Engine&)> open{};

    /// Nodes are counted from 0, and some may have no rank.
    fabric::NodeId node_count() const { return 1 + *std::ranges::max_element(nodes); }
};

/// Throws UsageError.
Plan make_plan(const Options& options);

// What each kind of job does with its plan.
Result run_processes(const Plan& plan, const Body& body);
Result run_threads(const Plan& plan, const Body& body);
Result run_fibers(const Plan& plan, const Body& body);

/// What a launcher should exit with after this exception: what Rank::abort was called with, 2 if
/// somebody's words were wrong, else 1.
int exit_code_for(const std::exception& error);

}  // namespace railyard::job
