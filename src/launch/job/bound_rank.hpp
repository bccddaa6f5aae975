#pragma once
/// Makes a rank the one that code without arguments finds here (see base/rank_local.hpp), for as
/// long as this lives: in the calling thread, or in the calling fiber.

#include "base/rank_local.hpp"
#include "launch/job/rank.hpp"

namespace railyard::job {

class BoundRank {
  public:
    explicit BoundRank(Rank& rank) : words_{.rank = &rank}, previous_(rank_local::here) {
        rank_local::here = &words_;
    }
    ~BoundRank() {
        words_.destroy_slots();
        rank_local::here = previous_;
    }
    BoundRank(const BoundRank&) = delete;
    BoundRank& operator=(const BoundRank&) = delete;

  private:
    RankLocal words_;
    RankLocal* previous_;
};

}  // namespace railyard::job
