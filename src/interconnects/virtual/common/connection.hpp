#pragma once
/// The user's view of requests that have come in. What they stand for is Ask (endpoint.hpp).

#include <memory>

#include "interconnects/virtual/common/network.hpp"
#include "railyard/connection.hpp"

namespace railyard::virtual_time {

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
