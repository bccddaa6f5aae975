#pragma once
/// A Nic in virtual time. It makes things and gives them out; events do the rest, so progress() has
/// nothing to do.

#include "interconnects/virtual/common/network.hpp"
#include "railyard/nic.hpp"

namespace railyard::virtual_time {

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
    std::unique_ptr<fabric::RemoteRegion> import_region(const fabric::RegionBlob& blob) override;

    std::unique_ptr<fabric::CompletionQueue> create_completion_queue(std::uint32_t depth) override;
    std::unique_ptr<fabric::ReceiveQueue> create_receive_queue(
        std::uint32_t depth, fabric::ReceiveQueue::Sharing sharing) override;
    std::unique_ptr<fabric::QueuePair> create_queue_pair(
        const fabric::QueuePairOptions& options) override;

    std::unique_ptr<fabric::Listener> listen(fabric::Service service) override;
    std::optional<fabric::PeerRequest> poll_peer_request() override;

    fabric::TaggedPort* tagged_port() override;

  private:
    std::shared_ptr<NicState> state_;
    fabric::Address address_;
    std::shared_ptr<TaggedPort> tagged_;
};

}  // namespace railyard::virtual_time
