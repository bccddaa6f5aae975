#pragma once
/// The network between adapters: which links and switch outputs a packet passes. A switch is
/// cut-through; where it queues is at its outputs.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "interconnects/virtual/hardware/parameters.hpp"
#include "interconnects/virtual/model/fault_plan.hpp"
#include "interconnects/virtual/model/route.hpp"
#include "railyard/fabric.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

class Switches {
  public:
    struct Place {
        fabric::NodeId node = 0;
        unsigned port = 0;
    };
    /// `plan`: of faults, which outlives it; null: there are none.
    Switches(sim::Engine& engine, const hardware::Parameters& parameters, FaultPlan* plan = nullptr)
        : engine_(engine), parameters_(parameters), plan_(plan) {}

    /// Adds the way between two adapters; they are different. There may be several: a detour of
    /// 0 is the one that is taken as long as nothing is broken.
    void add_way(Way& way, Place from, Place to, unsigned detour = 0);
    /// How many ways there are: detours are less than this.
    unsigned ways(fabric::NodeId from, fabric::NodeId to) const;
    /// The detour of the way back that passes the same switches.
    unsigned back(fabric::NodeId from, fabric::NodeId to, unsigned detour) const;
    /// The first link out of a node: where acknowledgments of what came in go.
    Fifo& link_out(Place place);
    Duration latency(fabric::NodeId from, fabric::NodeId to) const;
    /// Can credits never hold up one who has his links to himself? So it is where switches' buffers
    /// take what a link carries until credit is back, and a packet at either end; and adapters take
    /// all, since how long their engine and their bus take is another matter.
    bool never_hold_up_one_alone() const;
    /// Room to put a way together in, empty. One at a time.
    Way& new_way() {
        way_.clear();
        return way_;
    }
    /// The one path that all routes of that kind share.
    const Path& shared(const Path& path);
    /// Those that were busy.
    void add_parts(std::vector<fabric::PartUse>& all) const;

  private:
    using Direction = FaultPlan::Direction;
    Fifo& link(Direction direction, unsigned level, std::uint64_t number);

    sim::Engine& engine_;
    const hardware::Parameters& parameters_;
    FaultPlan* const plan_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Fifo>> links_;  ///< looked up only
    std::vector<std::unique_ptr<const Path>> paths_;
    Way way_;
};

}  // namespace railyard::model
