#pragma once
/// A part of the adapter that does one thing at a time: a bus, a memory, a processor. Who comes
/// while it is busy waits, in order; so it is known at once when it will be done with each.

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "railyard/base/time.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace railyard::elan {

class Part {
  public:
    explicit Part(sim::Engine& engine) : engine_(engine) {}
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    /// `done` runs when it has been at it for that long. `what` must live as long as the trace, in
    /// whose `lane` it stands.
    void use(Duration work, std::string_view what, sim::Trace::Lane lane, sim::Action done) {
        engine_.schedule(book(engine_.now(), work, what, lane), std::move(done));
    }
    /// For one who comes then: when it will be done. Nobody who comes earlier may follow.
    Time book(Time from, Duration work, std::string_view what, sim::Trace::Lane lane) {
        const Time begin = std::max(from, free_at_);
        free_at_ = begin + work;
        ++uses_;
        busy_ += work;
        if (engine_.trace() && work > Duration())
            engine_.trace()->slice(lane, what, begin, free_at_);
        return free_at_;
    }
    Time free_at() const { return free_at_; }
    /// Whoever comes from now on waits until then at least.
    void stall(Time until) { free_at_ = std::max(free_at_, until); }
    std::uint64_t uses() const { return uses_; }
    Duration busy() const { return busy_; }

  private:
    sim::Engine& engine_;
    Time free_at_;
    std::uint64_t uses_ = 0;
    Duration busy_;
};

}  // namespace railyard::elan
