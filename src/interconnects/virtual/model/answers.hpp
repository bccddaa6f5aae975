#pragma once
/// Verdicts on requests, on their way back where faults can take them: each is told once, and in
/// order. One that is lost is made up for by the next that gets through; if none does, the asker
/// sends its last packet again until it is answered anew, or gives the peer up.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "interconnects/virtual/hardware/parameters.hpp"
#include "interconnects/virtual/model/fault_plan.hpp"
#include "interconnects/virtual/model/resender.hpp"
#include "interconnects/virtual/model/topology.hpp"
#include "sim/action.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

class Answers {
  public:
    using Place = Switches::Place;
    /// `resender`: of what an asker sends, which knows its way around faults.
    Answers(sim::Engine& engine, const hardware::Parameters& parameters, Switches& switches,
            FaultPlan& plan, std::function<Resender&(Place asker)> resender)
        : engine_(engine),
          parameters_(parameters),
          switches_(switches),
          plan_(plan),
          resender_(std::move(resender)) {}

    /// `heard` runs when the asker has it; or never.
    void tell(Place from, Place asker, sim::Action heard);
    /// Something later has come from there: what was lost before it is known by that.
    void tell_now(fabric::NodeId from, fabric::NodeId asker);
    /// Drops all that is still held.
    void stop();

  private:
    struct Line {
        Place from;
        Place asker;
        std::deque<sim::Action> unheard;
        std::uint64_t first = 0;  ///< the number of the oldest of them
        unsigned tries = 0;       ///< in a row, and ...
        unsigned in_vain = 0;     ///< ... those after which time had to pass
        bool asks = false;        ///< sends again until it hears
        unsigned detour = ~0U;    ///< that these are for:
        std::vector<Fifo*> forth;
        std::vector<Fifo*> back;
    };
    void find_way(Line& line);
    void heard(Line& line, std::uint64_t last);
    void lost_at(Line& line, const Fifo* part);
    void ask(Line& line);

    sim::Engine& engine_;
    const hardware::Parameters& parameters_;
    Switches& switches_;
    FaultPlan& plan_;
    const std::function<Resender&(Place)> resender_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Line> lines_;
};

}  // namespace railyard::model
