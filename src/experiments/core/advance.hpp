#pragma once
/// How far a piece of work has come, and how long the rest will take: the same for all processes
/// that share it.

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/stopwatch.hpp"
#include "launch/job/board.hpp"
#include "railyard/base/time.hpp"

namespace railyard::experiments {

/// Counts points: an operation at a size, where a step goes through such, or else the step itself.
class Advance {
  public:
    explicit Advance(std::size_t all);

    /// So many more are done.
    void add(std::size_t points) const;
    /// "12 of 40, 8 s left: latency-uni on shm: send_recv 64 KiB", by one who has done `own` points
    /// of those that are not counted yet. How long it will take is said from the second second on.
    std::string tell(std::string_view what, double own) const;

    Duration elapsed() const { return watch_.elapsed(); }

  private:
    std::size_t all_;
    Stopwatch watch_;
    job::AnonymousMemory shared_;
    std::atomic<std::size_t>* done_;  ///< in there
};

/// "8 s", "3 min": whole, and rather too long than too short.
std::string about(Duration time);

}  // namespace railyard::experiments
