#include "interconnects/quadrics/fabric/barrier.hpp"

#include <algorithm>
#include <utility>

#include "interconnects/quadrics/elan3/process.hpp"
#include "interconnects/quadrics/elanlib/group.hpp"

namespace railyard::quadrics {

namespace {

class NetworkBarrier final : public fabric::Barrier {
  public:
    NetworkBarrier(elan::Machine& machine, const std::shared_ptr<const elan::Job>& job,
                   elan::Vpid self, hosts::VirtualHost& host)
        : process_(machine, job, self), group_(process_) {
        process_.context().notify_host = [&host] { host.notify(); };
    }

    void arrive() override { group_.start_barrier(); }
    std::optional<Status> poll() override { return group_.test_barrier(); }

  private:
    elan3::Process process_;
    elanlib::Group group_;
};

bool are_a_range(std::span<const virtual_time::End> members) {
    for (std::size_t i = 1; i < members.size(); ++i)
        if (members[i].node != members[i - 1].node + 1) return false;
    return members.size() > 1;
}

}  // namespace

std::unique_ptr<fabric::Barrier> Barriers::make(std::span<const virtual_time::End> members,
                                                std::size_t self, hosts::VirtualHost& host) {
    if (!are_a_range(members)) return nullptr;
    Members key;
    std::vector<elite::NodeId> nodes;
    for (const virtual_time::End& member : members) {
        key.emplace_back(member.node, member.nic);
        nodes.push_back(member.node);
    }
    std::vector<Group>& groups = groups_[key];
    auto mine = std::ranges::find_if(
        groups, [&](const Group& group) { return !group.made.contains(self); });
    if (mine == groups.end()) mine = groups.insert(mine, {machine_.add_job(nodes), {}});
    mine->made.insert(self);
    const std::shared_ptr<const elan::Job> job = mine->job;
    if (mine->made.size() == members.size()) groups.erase(mine);
    if (groups.empty()) groups_.erase(key);
    return std::make_unique<NetworkBarrier>(machine_, job, static_cast<elan::Vpid>(self), host);
}

}  // namespace railyard::quadrics
