#pragma once
/// The user's queue pair: a handle on an Endpoint, which it changes for a new one when it connects
/// anew.

#include "interconnects/virtual/common/endpoint.hpp"
#include "railyard/queue_pair.hpp"

namespace railyard::virtual_time {

class QueuePair final : public fabric::QueuePair {
  public:
    /// Throws UsageError for queues that are not this Nic's or not there.
    QueuePair(std::shared_ptr<NicState> nic, const fabric::QueuePairOptions& options);
    ~QueuePair() override;

    Status connect(const fabric::Address& to, fabric::Service service,
                   const fabric::PrivateData& data, Time deadline) override;
    Status accept(fabric::ConnectionRequest& request, const fabric::PrivateData& data) override;
    Status connect_peer(const fabric::Address& to, fabric::Discriminator discriminator,
                        const fabric::PrivateData& data, Time deadline) override;

    fabric::ConnectionState state() override { return endpoint_->state(); }
    Status reason() const override { return endpoint_->reason(); }
    const fabric::PrivateData& peer_data() const override { return endpoint_->peer_data(); }
    void close() override { endpoint_->close(); }

    using fabric::QueuePair::post;
    Posted post(std::span<const fabric::WorkRequest> requests) override {
        return endpoint_->post(requests);
    }

  private:
    bool renew();

    std::shared_ptr<NicState> nic_;
    std::shared_ptr<Endpoint> endpoint_;
};

}  // namespace railyard::virtual_time
