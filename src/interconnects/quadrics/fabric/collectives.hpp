#pragma once
/// What the switches do for groups of Nics: barriers and broadcasts (BC-1). Each has a job of its
/// own on the machine, so that the words that are tested, the events that are set and the buffers
/// that are written have the same place in all members.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "interconnects/quadrics/elan/machine.hpp"
#include "interconnects/virtual/common/wire.hpp"

namespace railyard::quadrics {

class Collectives {
  public:
    explicit Collectives(elan::Machine& machine) : machine_(machine) {}

    using Members = std::span<const virtual_time::End>;
    // Null unless the members are on a range of nodes, one on each, in their order (BC-3).
    std::unique_ptr<fabric::Barrier> make_barrier(Members members, std::size_t self,
                                                  hosts::VirtualHost& host);
    std::unique_ptr<fabric::Broadcast> make_broadcast(Members members, std::size_t self,
                                                      hosts::VirtualHost& host);

  private:
    struct Group {
        std::shared_ptr<const elan::Job> job;
        std::set<std::size_t> joined;  ///< members that have theirs
    };
    /// By node and Nic of their members: those that some members still have to join.
    using Groups =
        std::map<std::vector<std::pair<fabric::NodeId, std::uint32_t>>, std::vector<Group>>;
    std::shared_ptr<const elan::Job> join(Groups& open, Members members, std::size_t self);

    elan::Machine& machine_;
    Groups barriers_;
    Groups broadcasts_;
};

}  // namespace railyard::quadrics
