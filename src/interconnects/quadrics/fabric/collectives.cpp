#include "interconnects/quadrics/fabric/collectives.hpp"

#include <algorithm>
#include <utility>

#include "interconnects/quadrics/elan3/process.hpp"
#include "interconnects/quadrics/elanlib/broadcast_channel.hpp"
#include "interconnects/quadrics/elanlib/group.hpp"

namespace railyard::quadrics {

namespace {

class NetworkBarrier final : public fabric::Barrier {
  public:
    NetworkBarrier(elan::Machine& machine, const std::shared_ptr<const elan::Job>& job,
                   elan::Vpid self, hosts::VirtualHost& host)
        : process_(machine, job, self), group_(process_), host_(host) {
        process_.context().notify_host = [&host] { host.notify(); };
    }

    void arrive() override {
        host_.settle();
        group_.start_barrier();
    }
    std::optional<Status> poll() override {
        host_.settle();
        return group_.test_barrier();
    }

  private:
    elan3::Process process_;
    elanlib::Group group_;
    hosts::VirtualHost& host_;
};

/// Data go in pieces through the buffers of the channel, which the processors fill and empty.
class NetworkBroadcast final : public fabric::Broadcast {
  public:
    NetworkBroadcast(elan::Machine& machine, const std::shared_ptr<const elan::Job>& job,
                     elan::Vpid self, hosts::VirtualHost& host)
        : process_(machine, job, self), channel_(process_), host_(host) {
        // Of data the adapter tells packet by packet; only what sets an event is news.
        process_.context().notify_host = [this] {
            if (channel_.has_news()) host_.notify();
        };
    }

    void send(std::span<const std::byte> data) override {
        sends_ = true;
        left_ = true;
        out_ = data;
        moved_ = 0;
    }
    void receive(std::span<std::byte> into) override {
        sends_ = false;
        in_ = into;
        moved_ = 0;
    }
    std::optional<Outcome> poll() override {
        host_.settle();
        return sends_ ? send_on() : receive_on();
    }

  private:
    std::optional<Outcome> send_on();
    std::optional<Outcome> receive_on();

    elan3::Process process_;
    elanlib::BroadcastChannel channel_;
    hosts::VirtualHost& host_;
    bool sends_ = false;
    bool left_ =
        false;  ///< some of it has not been given to the channel, if only that it is nothing
    std::span<const std::byte> out_;
    std::span<std::byte> in_;
    std::size_t moved_ = 0;
};

std::optional<fabric::Broadcast::Outcome> NetworkBroadcast::send_on() {
    while (left_ && channel_.can_send()) {
        const auto piece = out_.subspan(
            moved_,
            std::min<std::size_t>(elanlib::BroadcastChannel::capacity, out_.size() - moved_));
        moved_ += piece.size();
        left_ = moved_ < out_.size();
        host_.charge_copy(piece.size(), nullptr, piece.data());
        host_.settle();
        channel_.send(piece, left_);
    }
    if (left_) return {};
    const std::optional<Status> status = channel_.test_sent();
    if (!status) return {};
    return Outcome{*status, Bytes(moved_)};
}

std::optional<fabric::Broadcast::Outcome> NetworkBroadcast::receive_on() {
    while (const auto piece = channel_.test_arrived()) {
        const auto room = in_.subspan(std::min(moved_, in_.size()));
        const auto into = room.first(std::min<std::size_t>(piece->size, room.size()));
        host_.charge_copy(into.size(), into.data());
        host_.settle();
        channel_.take(into);
        moved_ += piece->size;
        if (!piece->more || piece->status.failed()) return Outcome{piece->status, Bytes(moved_)};
    }
    return {};
}

bool are_a_range(Collectives::Members members) {
    for (std::size_t i = 1; i < members.size(); ++i)
        if (members[i].node != members[i - 1].node + 1) return false;
    return members.size() > 1;
}

}  // namespace

std::shared_ptr<const elan::Job> Collectives::join(Groups& open, Members members,
                                                   std::size_t self) {
    if (!are_a_range(members)) return nullptr;
    Groups::key_type key;
    std::vector<elite::NodeId> nodes;
    for (const virtual_time::End& member : members) {
        key.emplace_back(member.node, member.nic);
        nodes.push_back(member.node);
    }
    std::vector<Group>& groups = open[key];
    auto mine = std::ranges::find_if(
        groups, [&](const Group& group) { return !group.joined.contains(self); });
    if (mine == groups.end()) mine = groups.insert(mine, {machine_.add_job(nodes), {}});
    mine->joined.insert(self);
    std::shared_ptr<const elan::Job> job = mine->job;
    if (mine->joined.size() == members.size()) groups.erase(mine);
    if (groups.empty()) open.erase(key);
    return job;
}

std::unique_ptr<fabric::Barrier> Collectives::make_barrier(Members members, std::size_t self,
                                                           hosts::VirtualHost& host) {
    const auto job = join(barriers_, members, self);
    if (!job) return nullptr;
    return std::make_unique<NetworkBarrier>(machine_, job, static_cast<elan::Vpid>(self), host);
}

std::unique_ptr<fabric::Broadcast> Collectives::make_broadcast(Members members, std::size_t self,
                                                               hosts::VirtualHost& host) {
    const auto job = join(broadcasts_, members, self);
    if (!job) return nullptr;
    return std::make_unique<NetworkBroadcast>(machine_, job, static_cast<elan::Vpid>(self), host);
}

}  // namespace railyard::quadrics
