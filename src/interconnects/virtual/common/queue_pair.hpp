#pragma once
/// What the user holds of a connection: queue pairs, listeners and the requests that come in there.

#include <memory>
#include <utility>

#include "interconnects/virtual/common/endpoint.hpp"
#include "interconnects/virtual/common/network.hpp"
#include "railyard/connection.hpp"
#include "railyard/queue_pair.hpp"

namespace railyard::virtual_time {

/// A handle on an Endpoint, which it changes for a new one when it connects anew.
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
    void close() override;

    using fabric::QueuePair::post;
    Posted post(std::span<const fabric::WorkRequest> requests) override {
        return endpoint_->post(requests);
    }

  private:
    bool renew();
    /// Whether the system has work to do for the end of a connection: once for each that stood.
    bool ends_connection() { return endpoint_->used() && !std::exchange(ended_, true); }

    std::shared_ptr<NicState> nic_;
    std::shared_ptr<Endpoint> endpoint_;
    bool ended_ = false;
};

/// The user's view of requests that have come in. What they stand for is Ask (endpoint.hpp).
class ConnectionRequest final : public fabric::ConnectionRequest {
  public:
    ConnectionRequest(std::shared_ptr<Network> network, std::shared_ptr<Ask> ask);
    ~ConnectionRequest() override;

    const fabric::Address& from() const override { return from_; }
    const fabric::PrivateData& private_data() const override { return data_; }
    void reject(const fabric::PrivateData& reason) override;

    const std::shared_ptr<Ask>& ask() const { return ask_; }

  private:
    std::shared_ptr<Network> network_;
    std::shared_ptr<Ask> ask_;
    fabric::Address from_;
    fabric::PrivateData data_;
};

class Listener final : public fabric::Listener {
  public:
    Listener(std::shared_ptr<NicState> nic, fabric::Service service);
    ~Listener() override;
    std::unique_ptr<fabric::ConnectionRequest> poll() override;

  private:
    std::shared_ptr<NicState> nic_;
    fabric::Service service_;
};

}  // namespace railyard::virtual_time
