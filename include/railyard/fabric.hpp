#pragma once
/// An interconnect, opened by name, and the adapters that its nodes have.

#include <cstdint>
#include <memory>
#include <vector>

#include "railyard/host.hpp"
#include "railyard/nic.hpp"
#include "railyard/part_use.hpp"
#include "railyard/traits.hpp"

namespace railyard::fabric {

/// A machine of the job. Which rank is on which node is the launcher's to say.
using NodeId = std::uint32_t;

/// The device of one node. All ranks of the node share it, its engines and its bus.
class Adapter {
  public:
    virtual ~Adapter() = default;
    /// One rank's opening of it. The host must outlive the Nic.
    virtual std::unique_ptr<Nic> open(Host& host) = 0;
};

class Fabric {
  public:
    virtual ~Fabric() = default;
    Fabric(const Fabric&) = delete;
    Fabric& operator=(const Fabric&) = delete;

    virtual const Traits& traits() const = 0;
    virtual Adapter& adapter(NodeId node) = 0;
    /// How long each of its parts was busy so far, those left out that were not, in an order that
    /// is always the same. Empty where nobody knows: real fabrics.
    virtual std::vector<PartUse> parts() const { return {}; }

  protected:
    Fabric() = default;
};

}  // namespace railyard::fabric
