#pragma once
/// The fabrics that ranks of one clock have opened so far: each is opened once, at first use, and
/// kept until the end.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launch/job/find_entry.hpp"
#include "railyard/fabric.hpp"

namespace railyard::job {

class FabricSet {
  public:
    /// Real fabrics.
    explicit FabricSet(FindEntry find) : find_(find) {}
    /// Virtual ones between so many nodes, all on the time of this engine, which outlives the set.
    FabricSet(FindEntry find, sim::Engine& engine, fabric::NodeId nodes)
        : find_(find), engine_(&engine), nodes_(nodes) {}

    /// A virtual one that is there already, under that name.
    void add(std::string_view name, std::unique_ptr<fabric::Fabric> fabric) {
        fabrics_.emplace(name, std::move(fabric));
    }
    /// Throws UsageError for a name that is unknown or of the other clock.
    std::unique_ptr<fabric::Nic> open_nic(std::string_view name, fabric::NodeId node,
                                          fabric::Host& host);
    /// Of all fabrics, in the order of their names.
    std::vector<fabric::PartUse> parts() const;

  private:
    FindEntry find_;
    sim::Engine* engine_ = nullptr;
    fabric::NodeId nodes_ = 0;
    std::map<std::string, std::unique_ptr<fabric::Fabric>, std::less<>> fabrics_;
};

}  // namespace railyard::job
