#include "interconnects/virtual/common/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interconnects/virtual/common/queue_pair.hpp"
#include "interconnects/virtual/common/tagged_port.hpp"
#include "railyard/base/cpu.hpp"
#include "railyard/nic.hpp"

namespace railyard::virtual_time {

/// A Nic in virtual time. It makes things and gives them out; events do the rest, so progress() has
/// nothing to do.
class Nic final : public fabric::Nic {
  public:
    Nic(std::shared_ptr<Network> network, fabric::NodeId node, hosts::VirtualHost& host);
    ~Nic() override;

    fabric::Host& host() override { return *state_->host; }
    const fabric::Traits& traits() const override { return state_->network->traits; }
    const fabric::Address& address() const override { return address_; }
    void progress() override {}

    std::unique_ptr<fabric::Region> register_memory(std::span<std::byte> memory,
                                                    fabric::Access access) override;
    std::unique_ptr<fabric::Region> allocate(Bytes size, fabric::Access access,
                                             fabric::Home home) override;
    std::unique_ptr<fabric::Region> reserve_addresses(Bytes size, fabric::Access access,
                                                      fabric::Inbox* inbox) override;
    fabric::Parcel take_parcel(std::size_t size) override {
        return state_->network->parcels.take(size);
    }
    std::unique_ptr<fabric::RemoteRegion> import_region(const fabric::RegionBlob& blob) override;

    std::unique_ptr<fabric::CompletionQueue> create_completion_queue(std::uint32_t depth) override;
    std::unique_ptr<fabric::ReceiveQueue> create_receive_queue(
        std::uint32_t depth, fabric::ReceiveQueue::Sharing sharing) override;
    std::unique_ptr<fabric::QueuePair> create_queue_pair(
        const fabric::QueuePairOptions& options) override;

    std::unique_ptr<fabric::Listener> listen(fabric::Service service) override;
    std::optional<fabric::PeerRequest> poll_peer_request() override;

    fabric::TaggedPort* tagged_port() override;
    std::unique_ptr<fabric::Barrier> make_barrier(
        std::span<const fabric::Address> members) override;
    std::unique_ptr<fabric::Broadcast> make_broadcast(
        std::span<const fabric::Address> members) override;

  private:
    struct Group {
        std::vector<End> ends;
        std::size_t self = 0;  ///< a place in the list
    };
    Group group_of(std::span<const fabric::Address> members, std::string_view what) const;

    std::shared_ptr<NicState> state_;
    fabric::Address address_;
    std::shared_ptr<NicTaggedPort> tagged_;
};

std::unique_ptr<fabric::Nic> Adapter::open(fabric::Host& host) {
    auto* ours = dynamic_cast<hosts::VirtualHost*>(&host);
    if (!ours || &ours->engine() != &network_->engine)
        throw UsageError(
            fmt::format("{} runs in virtual time: open it on a VirtualHost of its engine",
                        network_->traits.name));
    return std::make_unique<Nic>(network_, node_, *ours);
}

fabric::Adapter& Fabric::adapter(fabric::NodeId node) {
    return adapters_.try_emplace(node, network_, node).first->second;
}

namespace {
std::shared_ptr<NicState> make_state(std::shared_ptr<Network> network, fabric::NodeId node,
                                     hosts::VirtualHost& host) {
    auto& nics = network->nics[node];
    const NicName name{network->id, node, static_cast<std::uint32_t>(nics.size())};
    auto state = std::make_shared<NicState>(network, name, host);
    nics.push_back(state);
    host.set_costs(state->network->wire->host_costs());
    return state;
}
}  // namespace

Nic::Nic(std::shared_ptr<Network> network, fabric::NodeId node, hosts::VirtualHost& host)
    : state_(make_state(std::move(network), node, host)), address_(state_->name.address()) {
    if (!traits().tagged) return;
    tagged_ = state_->network->wire->make_tagged_port(state_);
    if (tagged_) return;
    const auto common = std::make_shared<TaggedPort>(state_);
    state_->tagged = common;
    tagged_ = common;
}

Nic::~Nic() {
    if (tagged_) tagged_->close();
    state_->host = nullptr;
    const auto asked = std::move(state_->asked);
    for (const auto& [key, asks] : asked)
        for (const std::shared_ptr<Ask>& ask : asks)
            Endpoint::reject(*state_->network, ask);
    state_->asked.clear();
    state_->unseen.clear();
}

std::unique_ptr<fabric::Region> Nic::register_memory(std::span<std::byte> memory,
                                                     fabric::Access access) {
    state_->spend(HostStep::register_memory, Bytes(memory.size()));
    return std::make_unique<Region>(state_, memory, access, fabric::Home::host, nullptr);
}

std::unique_ptr<fabric::Region> Nic::allocate(Bytes size, fabric::Access access,
                                              fabric::Home home) {
    if (home == fabric::Home::adapter && !traits().adapter_memory)
        throw Error(fmt::format("{}: the adapter has no memory to allocate from", traits().name));
    const std::size_t n = size.count() + cache_line;  // regions begin on a line
    ZeroedMemory memory = zeroed_memory(n);
    if (!memory)
        throw Error(fmt::format("{}: no memory for a region of {} bytes", traits().name, n));
    state_->spend(HostStep::register_memory, size);
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory.get()) % cache_line;
    const std::span<std::byte> span(memory.get() + (beyond == 0 ? 0 : cache_line - beyond),
                                    size.count());
    return std::make_unique<Region>(state_, span, access, home, std::move(memory));
}

std::unique_ptr<fabric::Region> Nic::reserve_addresses(Bytes size, fabric::Access access,
                                                       fabric::Inbox* inbox) {
    using fabric::Access;
    if (fabric::allows(access, Access::remote_read) ||
        fabric::allows(access, Access::remote_atomic))
        throw UsageError(
            fmt::format("{}: memory that is but addresses can be written to by peers, and not read",
                        traits().name));
    state_->spend(HostStep::register_memory, size);
    return std::make_unique<Region>(state_, size, access, inbox);
}

std::unique_ptr<fabric::RemoteRegion> Nic::import_region(const fabric::RegionBlob& blob) {
    return std::make_unique<RemoteRegion>(*state_, blob);
}

std::unique_ptr<fabric::CompletionQueue> Nic::create_completion_queue(std::uint32_t depth) {
    if (depth == 0) throw UsageError("completion queue: a depth of at least one");
    return std::make_unique<CompletionQueue>(state_, depth);
}

std::unique_ptr<fabric::ReceiveQueue> Nic::create_receive_queue(
    std::uint32_t depth, fabric::ReceiveQueue::Sharing sharing) {
    if (depth == 0) throw UsageError("receive queue: a depth of at least one");
    if (sharing == fabric::ReceiveQueue::Sharing::shared && !traits().shared_receives)
        throw UsageError(fmt::format(
            "receive queue: {} cannot share one; make each queue pair its own", traits().name));
    return std::make_unique<ReceiveQueue>(state_, depth, sharing);
}

std::unique_ptr<fabric::QueuePair> Nic::create_queue_pair(const fabric::QueuePairOptions& options) {
    return std::make_unique<QueuePair>(state_, options);
}

std::unique_ptr<fabric::Listener> Nic::listen(fabric::Service service) {
    return std::make_unique<Listener>(state_, service);
}

std::optional<fabric::PeerRequest> Nic::poll_peer_request() {
    state_->settle();
    while (!state_->unseen.empty()) {
        const std::shared_ptr<Ask> ask = std::move(state_->unseen.front());
        state_->unseen.pop_front();
        if (!ask->settled) return fabric::PeerRequest{ask->from.address(), ask->what, *ask->data};
    }
    return std::nullopt;
}

fabric::TaggedPort* Nic::tagged_port() {
    return tagged_.get();
}

Nic::Group Nic::group_of(std::span<const fabric::Address> members, std::string_view what) const {
    Group group;
    std::optional<std::size_t> self;
    for (const fabric::Address& member : members) {
        const NicName name = NicName::of(member);
        if (!state_->network->find(name))
            throw UsageError(fmt::format(
                "{}: an address is of no open Nic on {}; give what Nic::address() of one says",
                what, traits().name));
        if (name == state_->name) self = group.ends.size();
        group.ends.push_back({.node = name.node, .nic = name.nic});
    }
    if (!self) throw UsageError(fmt::format("{}: this Nic is not among its members", what));
    group.self = *self;
    return group;
}

std::unique_ptr<fabric::Barrier> Nic::make_barrier(std::span<const fabric::Address> members) {
    if (!traits().network_barrier) return nullptr;
    const Group group = group_of(members, "barrier");
    return state_->network->wire->make_barrier(group.ends, group.self, *state_->host);
}

std::unique_ptr<fabric::Broadcast> Nic::make_broadcast(std::span<const fabric::Address> members) {
    if (!traits().network_broadcast) return nullptr;
    const Group group = group_of(members, "broadcast");
    return state_->network->wire->make_broadcast(group.ends, group.self, *state_->host);
}

}  // namespace railyard::virtual_time
