#pragma once
/// A script of faults, laid over a network: which part each of them strikes, and what that has come
/// to so far. A network without faults has no plan.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/virtual/common/wire.hpp"
#include "interconnects/virtual/model/fault_script.hpp"
#include "interconnects/virtual/model/fifo.hpp"
#include "interconnects/virtual/model/health.hpp"
#include "railyard/fault_report.hpp"

namespace railyard::model {

class FaultPlan {
  public:
    enum class Direction : std::uint8_t { out, in, up, down };

    /// What becomes of it is written into `report`, which others may hold, too.
    FaultPlan(const FaultScript& script, const Ground& ground,
              std::shared_ptr<fabric::FaultReport> report);

    /// Of one way of a cable: a node's (level: its port), or one between two levels of switches.
    /// Null if nothing ever strikes it.
    Health* link(Direction direction, unsigned level, std::uint64_t number);
    /// Of a node's way to itself, which only a reset of its adapter stops.
    Health* loop(fabric::NodeId node);

    /// A packet of that size, or an acknowledgment, crosses all of these parts, or is lost at one:
    /// that one, or null.
    static Fifo* loses(std::span<Fifo* const> parts, Time now, Bytes size);
    /// How often that adapter has been reset by then: each time it forgets what it had cached.
    unsigned resets(fabric::NodeId node, Time now) const;

    fabric::FaultReport& report() { return *report_; }

    /// Told when a node gives another up; empty: nobody hears.
    virtual_time::Wire::GivenUp given_up;

  private:
    template <class Strikes>
    Health* health(std::uint64_t stream, Strikes strikes);

    const FaultScript script_;
    const Ground ground_;
    const std::shared_ptr<fabric::FaultReport> report_;
    std::vector<std::unique_ptr<Health>> healths_;
};

}  // namespace railyard::model
