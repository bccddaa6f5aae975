#pragma once
/// A rank connected to many others, or many times to one: queue pairs on one completion queue, each
/// with one small receive.

#include <memory>
#include <string_view>
#include <vector>

#include "launch/job/rank.hpp"
#include "railyard/nic.hpp"

namespace railyard::bench {

class Mesh {
  public:
    /// `peers` names the ranks, one entry a connection; the same rank may come several times, on
    /// both sides alike. `tag` is unique in the job. Returns connected.
    Mesh(job::Rank& rank, std::string_view tag, const std::vector<int>& peers);

    /// Sends 8 bytes on every connection and waits for 8 on each.
    void exchange();
    fabric::CompletionQueue& completions() { return *completions_; }

  private:
    void connect(const std::vector<int>& peers, std::string_view tag);

    job::Rank& rank_;
    fabric::Host& host_;
    std::unique_ptr<fabric::Region> region_;
    std::unique_ptr<fabric::CompletionQueue> completions_;
    struct Link {
        std::unique_ptr<fabric::ReceiveQueue> receives;
        std::unique_ptr<fabric::QueuePair> queue_pair;
    };
    std::vector<Link> links_;
};

}  // namespace railyard::bench
