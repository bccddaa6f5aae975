#pragma once
/// A part that serves packets one after the other, in the order in which they come to it: a bus, a
/// link, a switch's output, the adapter's memory. Its state is the moment from which it is free.

#include <cstdint>
#include <string_view>

#include "railyard/base/time.hpp"
#include "sim/trace.hpp"

namespace railyard::model {

class Health;
class Lane;

class Fifo {
  public:
    Fifo() = default;
    Fifo(sim::Trace* trace, std::string_view group, std::string_view name)
        : trace_(trace), row_(trace ? trace->lane(group, name) : 0) {}

    Time free_at;
    Duration busy;  ///< in all, so far

    bool traced() const { return trace_ != nullptr; }
    /// Tells the trace, if there is one.
    void show(std::string_view what, Time begin, Time end, std::uint64_t id) const {
        if (trace_ && end > begin) trace_->slice(row_, what, begin, end, id);
    }

    // Who sends through here at present (see Lane).
    unsigned users = 0;
    Lane* sole = nullptr;  ///< the only one, as long as no other has come

    Health* health = nullptr;  ///< null: no fault ever strikes it

  private:
    sim::Trace* trace_ = nullptr;
    sim::Trace::Lane row_ = 0;
};

}  // namespace railyard::model
