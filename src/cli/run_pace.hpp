#pragma once
/// What is told of a run while it goes on: the virtual time it has come to, how fast, and how long
/// the rest will take, if the program says how many steps it has to go.

#include <cstdint>
#include <optional>
#include <string>

#include "programs/runs/run_progress.hpp"
#include "railyard/base/time.hpp"

namespace railyard::cli {

class RunPace {
  public:
    /// `progress` outlives it.
    explicit RunPace(const runs::RunProgress& progress) : progress_(progress) {}

    /// ", 40 s left: 3.2 ms virtual time, 1.25 M calls/s" (of MPI), some time after the beginning,
    /// later at each call. Empty before anything has happened.
    std::string tell(Duration elapsed);

  private:
    struct Look {
        Duration at;
        std::uint64_t calls = 0;
    };
    struct Steps {
        Duration at;
        std::int64_t left = 0;
    };

    std::optional<Duration> time_left(Duration elapsed);

    const runs::RunProgress& progress_;
    Look last_;
    std::optional<Steps> first_;  ///< the first that the program told of
};

}  // namespace railyard::cli
