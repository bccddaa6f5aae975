#pragma once
/// The fabrics that ranks of one clock have opened so far: each is opened once, at first use, and
/// kept until the end.

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "fabric/fabric.hpp"
#include "interconnects/registry.hpp"

namespace railyard::job {

/// Throws UsageError, with the name that was probably meant.
const interconnects::Entry& find_entry(std::string_view name);

class FabricSet {
  public:
    /// Real fabrics.
    FabricSet() = default;
    /// Virtual ones, all on the time of this engine, which outlives the set.
    explicit FabricSet(sim::Engine& engine) : engine_(&engine) {}

    /// Throws UsageError for a name that is unknown or of the other clock.
    std::unique_ptr<fabric::Nic> open_nic(std::string_view name, fabric::NodeId node,
                                          fabric::Host& host);

  private:
    sim::Engine* engine_ = nullptr;
    std::map<std::string, std::unique_ptr<fabric::Fabric>, std::less<>> fabrics_;
};

}  // namespace railyard::job
