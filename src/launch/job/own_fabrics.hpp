#pragma once
/// Interconnects that are not the registry's own: those of whoever uses us as a library.

#include <functional>
#include <memory>
#include <vector>

#include "railyard/fabric.hpp"
#include "railyard/network.hpp"
#include "railyard/traits.hpp"

namespace railyard::job {

/// From now on jobs find it by its name. Throws UsageError for a name that is taken.
void add_network(fabric::Traits traits,
                 std::function<std::unique_ptr<fabric::Network>(fabric::NodeId nodes)> make);
void add_fabric(const fabric::Traits& traits,
                std::function<std::unique_ptr<fabric::Fabric>()> open);
/// In the order of adding; job::fabrics() has the others.
std::vector<fabric::Traits> added_fabrics();

}  // namespace railyard::job
