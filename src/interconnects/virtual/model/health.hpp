#pragma once
/// How a link is, at any time, as a script of faults says: what becomes of a packet that crosses
/// it. A link that no fault strikes has none (Fifo::health).

#include <cstdint>
#include <vector>

#include "interconnects/virtual/model/fault_script.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "sim/random.hpp"

namespace railyard::model {

class Health {
  public:
    /// What a fault does here, and how many packets it has taken so far.
    struct Cause {
        const Fault* fault;
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

}  // namespace railyard::model
