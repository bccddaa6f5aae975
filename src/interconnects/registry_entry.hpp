#pragma once
/// A line of the registry: what a fabric is like, and how to open it.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "railyard/datasheet.hpp"
#include "railyard/fabric.hpp"
#include "railyard/fault_report.hpp"
#include "railyard/traits.hpp"

namespace railyard::sim {
class Engine;
}

namespace railyard::interconnects {

/// A virtual fabric that faults will strike, and what they have done so far.
struct Faulty {
    std::function<std::unique_ptr<fabric::Fabric>(sim::Engine&)> open;
    std::shared_ptr<const fabric::FaultReport> report;
};

struct Entry {
    fabric::Traits traits;
    /// Exactly one of the two is set, as traits.clock says. They throw Error when they cannot. A
    /// virtual one is told how many nodes there will be.
    std::function<std::unique_ptr<fabric::Fabric>()> open_real;
    std::function<std::unique_ptr<fabric::Fabric>(sim::Engine&, fabric::NodeId nodes)> open_virtual;
    /// What a model is made of. Empty for all others.
    std::function<fabric::Datasheet()> datasheet;
    /// The same fabric with the faults of a script, for that many nodes. Throws UsageError if the
    /// script is wrong. Empty where faults are unknown: all but models.
    std::function<Faulty(const std::string& script, fabric::NodeId nodes)> with_faults{};

    std::string_view name() const { return traits.name; }
    bool is_virtual() const { return traits.clock == fabric::Clock::virtual_time; }
};

}  // namespace railyard::interconnects
