#pragma once
/// The network between adapters: which links and switch outputs a packet passes. A switch is
/// cut-through; where it queues is at its outputs.

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

#include "fabric/fabric.hpp"
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

    /// Adds the way between two adapters; they are different. Throws UsageError for a node that
    /// the topology does not have.
    void add_way(Route& route, Place from, Place to);
    /// The first link out of a node: where acknowledgments of what came in go.
    Fifo& link_out(Place place);
    Duration latency(fabric::NodeId from, fabric::NodeId to) const;

  private:
    enum class Direction : std::uint8_t { out, in, up, down };
    using Name = std::tuple<Direction, unsigned, std::uint64_t>;
    Fifo& link(Direction direction, unsigned level, std::uint64_t number);
    void check(fabric::NodeId node) const;

    sim::Engine& engine_;
    const Parameters& parameters_;
    std::map<Name, std::unique_ptr<Fifo>> links_;
};

}  // namespace railyard::model
