#pragma once
/// One domain of the provider as a port of a Nic: open, with what belongs to it alone. Connections
/// stay on the port on which they were asked for.

#include <memory>
#include <utility>

#include "interconnects/real/ofi/module/buffers.hpp"
#include "interconnects/real/ofi/module/device.hpp"
#include "interconnects/real/ofi/module/grants.hpp"
#include "interconnects/real/ofi/module/provider.hpp"
#include "interconnects/real/ofi/module/shared.hpp"
#include "interconnects/real/ofi/module/sockets.hpp"

namespace railyard::ofi {

class Nic;

class Port {
  public:
    /// `tagged`: its endpoint matches tags. Throws Error if the domain cannot be opened.
    Port(Nic& nic, unsigned number, InfoList info, bool tagged, Duration patience)
        : number_(number),
          device_(std::move(info), tagged),
          // Who shares an endpoint needs the other half to see that there is no way back.
          sockets_(device_, device_.is_shared() ? patience / 2 : patience) {
        if (device_.is_shared()) shared_ = std::make_unique<SharedEndpoint>(nic, *this);
    }
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    unsigned number() const { return number_; }
    Device& device() { return device_; }
    const Device& device() const { return device_; }
    Sockets& sockets() { return sockets_; }
    const Sockets& sockets() const { return sockets_; }
    Buffers& buffers() { return buffers_; }
    Grants& grants() { return grants_; }
    bool is_shared() const { return shared_ != nullptr; }
    /// Where all links share an endpoint.
    SharedEndpoint& shared() { return *shared_; }
    const SharedEndpoint& shared() const { return *shared_; }

  private:
    unsigned number_;
    Device device_;
    Sockets sockets_;
    Buffers buffers_{device_};
    Grants grants_{device_};
    std::unique_ptr<SharedEndpoint> shared_;
};

}  // namespace railyard::ofi
