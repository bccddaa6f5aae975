#pragma once
/// The adapter's processor, or one engine of it: does one thing at a time. Sending and receiving go
/// in order of arrival; acknowledgments wait until nothing else is to do, and those of one peer are
/// taken together.

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "interconnects/virtual/model/fifo.hpp"
#include "railyard/base/time.hpp"
#include "sim/action.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

class Processor {
  public:
    Processor(sim::Engine& engine, std::string_view group, std::string_view name)
        : engine_(engine), time_(engine.trace(), group, name) {}

    /// Takes on work that comes then, which is now or known to be the next to come. When `work` of
    /// it is done; the processor stays busy for `rest` after that.
    Time run_from(Time at, Duration work, Duration rest, std::string_view what, std::uint64_t id);

    /// `done` runs when that has been done, which is when nothing else is left to do.
    void run_when_idle(std::uint64_t peer, Duration work, sim::Action done);
    /// What waits to be done for that peer is told as done now; the work stays.
    void tell_now(std::uint64_t peer);

    Duration busy() const { return time_.busy; }

  private:
    struct Chore {
        std::uint64_t peer;
        Duration work;
        std::vector<sim::Action> done;
    };
    void look_for_chores();
    static void tell(Chore& chore);

    sim::Engine& engine_;
    Fifo time_;
    std::deque<Chore> chores_;
    Chore doing_{};
    bool looks_later_ = false;
};

}  // namespace railyard::model
