#pragma once
/// An interconnect, opened by name, the adapters that its nodes have, and how busy its parts were.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/time.hpp"
#include "railyard/host.hpp"
#include "railyard/nic.hpp"
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

enum class PartKind : std::uint8_t {
    link,     ///< one way of a cable, or a switch's output
    bus,      ///< between memory and adapter
    adapter,  ///< an engine of an adapter, or what it moves data with
};

std::string_view name(PartKind kind);

/// A part of a modelled interconnect and for how long it was busy, for those who ask where the time
/// went.
struct PartUse {
    PartKind kind = PartKind::link;
    std::string name;  ///< "node 3, bus"
    Duration busy;
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
    /// How often a message has come to its target and found no receive, so far: one that is refused
    /// and comes again counts again. 0 where nobody counts: real fabrics.
    virtual std::uint64_t receiver_not_ready() const { return 0; }

  protected:
    Fabric() = default;
};

}  // namespace railyard::fabric
