#pragma once
/// Loopback TCP between the two sides of a raw pair, without sleeping: the limit of what goes
/// through the kernel's network.

#include <cstddef>
#include <string_view>
#include <vector>

#include "experiments/raw_pair.hpp"
#include "experiments/sampling.hpp"
#include "railyard/base/bytes.hpp"

namespace railyard::experiments::raw {

class Tcp {
  public:
    /// Connects the sides. `tag` is unique in the job.
    Tcp(Pair& pair, std::string_view tag);
    ~Tcp();
    Tcp(const Tcp&) = delete;
    Tcp& operator=(const Tcp&) = delete;

    /// Half of each round trip, in us.
    std::vector<double> latency(Bytes size, const Sampling& sampling);
    /// Windows of messages, each answered by one byte: MB/s.
    std::vector<double> bandwidth(Bytes size, unsigned window, const Sampling& sampling);

  private:
    void send(std::size_t n);
    void receive(std::size_t n);

    Pair& pair_;
    int socket_ = -1;
};

}  // namespace railyard::experiments::raw
