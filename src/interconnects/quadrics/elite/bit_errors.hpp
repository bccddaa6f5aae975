#pragma once
/// When the bits of a link go wrong: the distances between errors are drawn one by one, so that a
/// flit costs nothing, and depend on nothing but the seed and what the link has carried.

#include <cstdint>
#include <limits>

#include "interconnects/quadrics/elite/exponential.hpp"
#include "sim/random.hpp"

namespace railyard::elite {

class BitErrors {
  public:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    explicit BitErrors(sim::Random random) : random_(random) {}

    void set_rate(double rate) {
        rate_ = rate;
        if (rate_ > 0) next_ = draw();
    }
    /// Of so many flits that now pass: the number of the first that is hit, or none.
    std::uint32_t pass(std::uint32_t flits, unsigned bits_a_flit) {
        if (!(rate_ > 0)) return none;
        const double bits = static_cast<double>(flits) * bits_a_flit;
        std::uint32_t hit = none;
        for (; next_ < bits; next_ += draw())
            if (hit == none) hit = static_cast<std::uint32_t>(next_ / bits_a_flit);
        next_ -= bits;
        return hit;
    }

  private:
    double draw() { return exponential(random_) / rate_; }

    sim::Random random_;
    double rate_ = 0;
    double next_ = 0;  ///< bits until the next error
};

}  // namespace railyard::elite
