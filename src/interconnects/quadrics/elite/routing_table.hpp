#pragma once
/// What a source knows of the network: the tags that lead to each virtual processor. Switches know
/// no routes, so to change the table is to change the way.

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "interconnects/quadrics/elite/fat_tree.hpp"
#include "interconnects/quadrics/elite/route.hpp"

namespace railyard::elite {

/// A part of the network that may break: a cable or a switch.
struct Part {
    enum class Kind : std::uint8_t { cable, whole_switch };
    Kind kind = Kind::cable;
    std::uint32_t id = 0;
    static Part cable(CableId id) { return {Kind::cable, id}; }
    static Part switch_of(SwitchId id) { return {Kind::whole_switch, id}; }
    friend bool operator==(const Part&, const Part&) = default;
};

/// Adaptive: up by any link. Fixed: up by the destination's digits, always the same way.
enum class Ways : std::uint8_t { adaptive, fixed };

/// The way from one node to another that avoids the parts given; nothing where there is none.
std::optional<Route> find_route(const FatTree& tree, NodeId from, NodeId to,
                                Ways ways = Ways::adaptive, const std::vector<Part>& avoid = {});

/// The way to all nodes from the first to the last. It climbs by fixed links: all broadcasts of one
/// part of the tree pass one switch, since two that fork at different ones could each hold what the
/// other waits for. Nothing if a part to avoid leaves none.
std::optional<Route> find_broadcast(const FatTree& tree, NodeId from, NodeId first, NodeId last,
                                    const std::vector<Part>& avoid = {});
/// The same for a list of nodes, in any order; throws UsageError where they are no range.
Route find_broadcast(const FatTree& tree, NodeId from, std::vector<NodeId> nodes);

/// Several can be loaded in an adapter, side by side. As long as no part is to be avoided, a way is
/// a matter of digits, and found anew each time it is asked for; else it is kept.
class RoutingTable {
  public:
    using Processor = std::uint32_t;
    /// Virtual processor i is on node i, unless a map says otherwise.
    RoutingTable(const FatTree& tree, NodeId source, Ways ways = Ways::adaptive,
                 std::vector<NodeId> nodes = {});
    /// Many tables may share a map.
    RoutingTable(const FatTree& tree, NodeId source, Ways ways,
                 std::shared_ptr<const std::vector<NodeId>> nodes);

    /// Null where no way is left. Valid until the table changes or is asked again.
    const Route* to(Processor processor);
    void set(Processor processor, const Route& route);
    /// From now on no way leads through it; ways that were set by hand go, too.
    void avoid(Part part);
    /// All ways are open again.
    void forget_faults();
    const std::vector<Part>& avoided() const { return avoided_; }
    NodeId node_of(Processor processor) const;

  private:
    static constexpr Processor nobody = ~Processor{0};

    const FatTree& tree_;
    NodeId source_;
    Ways ways_;
    std::shared_ptr<const std::vector<NodeId>> nodes_;  ///< null: virtual processor i is on node i
    std::vector<Part> avoided_;
    std::map<Processor, std::optional<Route>> routes_;  ///< set by hand, or around faults
    Processor asked_for_ = nobody;                      ///< last, as long as there were no faults
    Route asked_;
};

}  // namespace railyard::elite
