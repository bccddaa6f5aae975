#pragma once
/// Keeps a job of real time within its time budget: each point gets its share of what is left, and
/// as many iterations as fit into it, by how long such took before.

#include <cstddef>
#include <map>
#include <optional>

#include "launch/job/rank.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"

namespace railyard::experiments {

/// One a rank; all ranks call it alike, and rank 0's clock is the one that counts.
class Pace {
  public:
    /// Without a budget everything is affordable, and nobody is asked.
    Pace(job::Rank& rank, std::optional<Duration> budget);

    /// A point begins, of so many that are left with it; it measures so many things. Ranks meet
    /// here: never inside of a measurement.
    void begin(Bytes size, std::size_t left, std::size_t things);
    /// Of the iterations that are wanted, those that fit; `least` do in any case. All of them where
    /// nobody knows yet how long one takes.
    unsigned afford(unsigned wanted, unsigned least);
    void end();

  private:
    /// Of one iteration at that size, 0 if nobody knows. For rank 0.
    double seconds_at(Bytes size) const;

    job::Rank& rank_;
    std::optional<Duration> budget_;
    Time start_;
    Time point_start_;
    Bytes size_;
    std::size_t points_ = 0;           ///< begun
    double fit_ = 0;                   ///< iterations; 0: nobody knows
    std::uint64_t iterations_ = 0;     ///< of this point
    std::map<Bytes, double> seconds_;  ///< of an iteration, by size
};

}  // namespace railyard::experiments
