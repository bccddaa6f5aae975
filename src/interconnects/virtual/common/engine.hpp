#pragma once
/// What runs the interconnects that profiles describe: an engine reads a profile by its own tables,
/// and opens fabrics of it in virtual time.

#include <functional>
#include <memory>

#include "faults/script.hpp"
#include "profiles/profile.hpp"
#include "railyard/fabric.hpp"
#include "railyard/fault_report.hpp"
#include "railyard/traits.hpp"

namespace railyard::sim {
class Engine;
}

namespace railyard::virtual_time {

/// A profile as an engine has read it. Nics of its fabrics need hosts::VirtualHost on the same
/// simulation, which must outlive the fabric, and the fabric all that is opened on it.
struct Described {
    using Opened = std::unique_ptr<fabric::Fabric>;

    fabric::Traits traits;
    /// For so many nodes.
    std::function<Opened(sim::Engine&, fabric::NodeId nodes)> open;
    /// The network of so many nodes that faults can strike. Empty, with `open_with_faults`: the
    /// engine knows no faults.
    std::function<faults::Layout(fabric::NodeId nodes)> layout{};
    /// The same where faults strike, of a script that was read for that layout; what they do is
    /// written into `report`.
    std::function<Opened(sim::Engine&, fabric::NodeId nodes, const faults::Script& script,
                         std::shared_ptr<fabric::FaultReport> report)>
        open_with_faults{};
};

struct Engine {
    profiles::Engine language;  ///< its name, and the tables by which it reads profiles
    Described (*read)(const profiles::Profile&);
};

}  // namespace railyard::virtual_time
