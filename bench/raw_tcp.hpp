#pragma once
/// Plain TCP between two ranks on the loopback, spinning: what a fabric over TCP is held against.

#include <vector>

#include "base/descriptor.hpp"
#include "experiments/sampling.hpp"
#include "launch/job/rank.hpp"
#include "railyard/base/bytes.hpp"

namespace railyard::bench {

class RawTcp {
  public:
    /// Ranks 0 and 1 connect. `tag` is unique in the job. Throws Error.
    RawTcp(job::Rank& rank, std::string_view tag, Bytes longest);

    /// Half of each round trip, in us.
    std::vector<double> ping_pong(Bytes size, const experiments::Sampling& sampling);
    /// Windows of so many messages, each window answered by a byte: MB/s.
    std::vector<double> windows(Bytes size, unsigned window, const experiments::Sampling& sampling);

  private:
    void send(std::size_t n);
    void receive(std::size_t n);
    template <class Iteration>
    std::vector<double> sample(const experiments::Sampling& sampling, const Iteration& iteration);

    job::Rank& rank_;
    bool first_;
    Descriptor socket_;
    std::vector<std::byte> memory_;
};

}  // namespace railyard::bench
