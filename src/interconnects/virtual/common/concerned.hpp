#pragma once
/// Who is to hear of it when one node gives another up (Wire::tell_when_given_up). Stays empty on
/// a wire that cannot break.

#include <cstddef>
#include <memory>
#include <vector>

#include "railyard/fabric.hpp"

namespace railyard::virtual_time {

class Endpoint;
struct TaggedMessage;

class Concerned {
  public:
    void add(std::weak_ptr<Endpoint> endpoint);
    void add(const std::shared_ptr<TaggedMessage>& message);
    /// Tells them, in the order in which they were added.
    void give_up(fabric::NodeId from, fabric::NodeId to);

  private:
    std::vector<std::weak_ptr<Endpoint>> endpoints_;
    std::vector<std::weak_ptr<TaggedMessage>> messages_;
    // Those that are gone are dropped whenever there are twice as many as were left the last time.
    std::size_t endpoints_limit_ = 64;
    std::size_t messages_limit_ = 64;
};

}  // namespace railyard::virtual_time
