#pragma once
/// Barriers by the switches (BC-1): each group is a job of its own on the machine, so that the word
/// that is tested and the event that is set have the same place in all members.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "interconnects/quadrics/elan/machine.hpp"
#include "interconnects/virtual/common/wire.hpp"

namespace railyard::quadrics {

class Barriers {
  public:
    explicit Barriers(elan::Machine& machine) : machine_(machine) {}

    /// Null unless the members are on a range of nodes, one on each, in their order (BC-3).
    std::unique_ptr<fabric::Barrier> make(std::span<const virtual_time::End> members,
                                          std::size_t self, hosts::VirtualHost& host);

  private:
    struct Group {
        std::shared_ptr<const elan::Job> job;
        std::set<std::size_t> made;  ///< members that have theirs
    };
    using Members = std::vector<std::pair<fabric::NodeId, std::uint32_t>>;

    elan::Machine& machine_;
    std::map<Members, std::vector<Group>> groups_;  ///< those that some members still have to make
};

}  // namespace railyard::quadrics
