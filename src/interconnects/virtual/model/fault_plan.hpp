#pragma once
/// A script of faults, laid over a network: which part each of them strikes, and what that has come
/// to so far. A network without faults has no plan.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "faults/script.hpp"
#include "interconnects/virtual/common/wire.hpp"
#include "interconnects/virtual/model/route.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "railyard/fault_report.hpp"
#include "sim/random.hpp"

namespace railyard::model {

/// How a link is, at any time, as the script says: what becomes of a packet that crosses it. A link
/// that no fault strikes has none (Fifo::health).
class Health {
  public:
    /// What a fault does here, and how many packets it has taken so far.
    struct Cause {
        const faults::Fault* fault;
        std::uint64_t* taken;
    };
    Health(std::vector<Cause> causes, sim::Random random)
        : causes_(std::move(causes)), random_(random) {}

    /// A packet of that size crosses now. False: it does not get there.
    bool lets_through(Time now, Bytes size);

  private:
    std::vector<Cause> causes_;
    sim::Random random_;  ///< of this link alone: what others draw does not matter
};

class FaultPlan {
  public:
    enum class Direction : std::uint8_t { out, in, up, down };

    /// What becomes of it is written into `report`, which others may hold, too.
    FaultPlan(const faults::Script& script, const faults::Layout& layout,
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

    const faults::Script script_;
    const faults::Layout layout_;
    const std::shared_ptr<fabric::FaultReport> report_;
    std::vector<std::unique_ptr<Health>> healths_;
};

}  // namespace railyard::model
