#pragma once
/// One master and its slaves: rank 0 has a pair with each of the others.

#include <memory>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/line.hpp"
#include "experiments/pair.hpp"

namespace railyard::experiments {

class Star {
  public:
    Star(Context& context, const std::string& tag, Bytes buffer);

    job::Rank& rank() { return rank_; }
    fabric::Host& host() { return rank_.host(); }
    bool master() const { return rank_.id() == 0; }
    unsigned slaves() const { return static_cast<unsigned>(rank_.size() - 1); }
    /// The master's pair with a slave (1, 2, …); a slave has but one.
    Pair& pair(unsigned slave) { return *pairs_.at(master() ? slave - 1 : 0); }
    const Pair& any_pair() const { return *pairs_.front(); }
    void part() { pairs_.front()->part(); }

  private:
    job::Rank& rank_;
    std::vector<std::unique_ptr<Pair>> pairs_;
};

/// A line between the master and each slave, and all have met: ready for use.
class Lines {
  public:
    Lines(Star& star, fabric::Op op, Bytes size);

    /// The master's line with a slave (1, 2, …); a slave has but one.
    Line& with(unsigned slave) { return *lines_.at(star_.master() ? slave - 1 : 0); }

  private:
    Star& star_;
    std::vector<std::unique_ptr<Line>> lines_;
};

/// {message_bytes, op, memory, slaves}
results::Parameters parameters_of(const Context& context, fabric::Op op, Bytes size,
                                  unsigned slaves);

}  // namespace railyard::experiments
