#pragma once
/// Which cables and switches of the machine the places of a script of faults are. Names mean the
/// same parts as in the fat tree of the generic model.

#include <optional>
#include <vector>

#include "faults/script.hpp"
#include "interconnects/quadrics/elite/fat_tree.hpp"

namespace railyard::quadrics {

struct FaultParts {
    std::optional<elite::SwitchId> whole_switch;  ///< or else
    std::vector<elite::CableId> cables;           ///< in ascending order
    bool up = true;                               ///< of each: away from the nodes ...
    bool down = true;                             ///< ... and towards them
};

/// The place must be of that tree's layout.
FaultParts parts_of(const faults::Place& place, const elite::FatTree& tree);

/// The one between that level and the next.
elite::CableId cable_between(const elite::FatTree& tree, unsigned level, std::uint64_t number);

}  // namespace railyard::quadrics
