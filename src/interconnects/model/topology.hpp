#pragma once
/// The network between adapters: which links and switch outputs a packet passes. A switch is
/// cut-through; where it queues is at its outputs.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/part_use.hpp"
#include "interconnects/model/fifo.hpp"
#include "interconnects/model/parameters.hpp"
#include "interconnects/model/route.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

class Switches {
  public:
    struct Place {
        fabric::NodeId node = 0;
        unsigned port = 0;
    };
    Switches(sim::Engine& engine, const Parameters& parameters)
        : engine_(engine), parameters_(parameters) {}

    /// Adds the way between two adapters; they are different.
    void add_way(Way& way, Place from, Place to);
    /// The first link out of a node: where acknowledgments of what came in go.
    Fifo& link_out(Place place);
    Duration latency(fabric::NodeId from, fabric::NodeId to) const;
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
    enum class Direction : std::uint8_t { out, in, up, down };
    Fifo& link(Direction direction, unsigned level, std::uint64_t number);

    sim::Engine& engine_;
    const Parameters& parameters_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Fifo>> links_;  ///< looked up only
    std::vector<std::unique_ptr<const Path>> paths_;
    Way way_;
};

}  // namespace railyard::model
