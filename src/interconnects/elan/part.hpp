#pragma once
/// A part of the adapter that does one thing at a time: a bus, a memory, a processor. Who comes
/// while it is busy waits, in order.

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/lazy_queue.hpp"
#include "base/time.hpp"
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
    void use(Duration work, std::string_view what, sim::Trace::Lane lane, sim::Action done);
    std::uint64_t uses() const { return uses_; }
    Duration busy() const { return busy_; }

  private:
    struct Job {
        Duration work;
        std::string_view what;
        sim::Trace::Lane lane = 0;
        sim::Action done;
    };
    void start();
    void finish();

    sim::Engine& engine_;
    LazyQueue<Job> jobs_;  ///< the first is being done
    std::uint64_t uses_ = 0;
    Duration busy_;
};

inline void Part::use(Duration work, std::string_view what, sim::Trace::Lane lane,
                      sim::Action done) {
    jobs_.push_back({work, what, lane, std::move(done)});
    if (jobs_.size() == 1) start();
}

inline void Part::start() {
    const Job& job = jobs_.front();
    ++uses_;
    busy_ += job.work;
    const Time end = engine_.now() + job.work;
    if (engine_.trace() && job.work > Duration())
        engine_.trace()->slice(job.lane, job.what, engine_.now(), end);
    engine_.schedule(end, [this] { finish(); });
}

inline void Part::finish() {
    sim::Action done = std::move(jobs_.front().done);
    jobs_.pop_front();
    if (!jobs_.empty()) start();
    done();
}

}  // namespace railyard::elan
