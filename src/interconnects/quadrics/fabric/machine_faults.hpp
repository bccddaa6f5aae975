#pragma once
/// A script of faults, carried out on the machine of Quadrics: bits go wrong, cables and switches
/// die and are mended, adapters reset. What that comes to goes into a report.
///
/// Parts change only while packets are under way, or when one is about to be: a script that goes on
/// for ever keeps no run from its end, and hides no deadlock.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "faults/script.hpp"
#include "interconnects/quadrics/elan/machine.hpp"
#include "interconnects/quadrics/elite/fat_tree.hpp"
#include "interconnects/quadrics/elite/network.hpp"
#include "interconnects/virtual/common/wire.hpp"
#include "railyard/fault_report.hpp"

namespace railyard::quadrics {

/// Which cables and switches of the machine the places of a script of faults are. Names mean the
/// same parts as in the fat tree of the generic model.
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

class MachineFaults final : public elite::FaultWatch {
  public:
    /// The engine must not run any more when it goes; whether it or the machine goes first does not
    /// matter then. The layout is that of the machine's tree; the report may be held by others,
    /// too.
    MachineFaults(elan::Machine& machine, const faults::Script& script,
                  const faults::Layout& layout, std::shared_ptr<fabric::FaultReport> report);
    MachineFaults(const MachineFaults&) = delete;
    MachineFaults& operator=(const MachineFaults&) = delete;

    /// Told, in an event, when a node has found no way to another (Wire::tell_when_given_up): once
    /// for all that was under way between the two.
    void tell_when_given_up(virtual_time::Wire::GivenUp given_up) {
        given_up_ = std::move(given_up);
    }

  private:
    struct Strike {
        const faults::Fault* fault = nullptr;
        FaultParts parts;
        bool on = false;
    };

    void woken() override;
    void rested() override;
    void failed(const elite::Fault& fault, bool arrived) override;
    void rerouted() override { ++report_->rerouted; }
    void repeated() override { ++report_->duplicates; }
    void unreachable(const Lost& lost) override;

    void give_up(elite::NodeId to, const Lost& lost);
    void catch_up();
    void set(Strike& strike, bool on);
    void set_errors(const FaultParts& parts);
    double error_rate(elite::CableId cable, bool up) const;
    void blame(const elite::Fault& fault);
    bool strikes(const Strike& strike, const elite::Fault& fault) const;

    elan::Machine& machine_;
    const faults::Script script_;
    const std::shared_ptr<fabric::FaultReport> report_;
    std::vector<Strike> strikes_;  ///< in the order of the script
    sim::Event next_;              ///< the next change, while packets are under way
    /// By node and peer: what was sent before this number has been told of.
    std::map<std::pair<elite::NodeId, elite::NodeId>, std::uint64_t> told_;
    virtual_time::Wire::GivenUp given_up_;
};

}  // namespace railyard::quadrics
