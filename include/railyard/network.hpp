#pragma once
/// A network of your own in virtual time, to be added by add_network() (library/fabrics.hpp). It
/// only says when things happen; queue pairs, memory, connections and errors are there already.

#include <cstdint>

#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"

namespace railyard::fabric {

/// A message between two nodes, as far as its timing goes.
struct NetworkMessage {
    /// What it carries: a user's data; a request, such as that of a read; the target's answer to
    /// either; or what connects and closes.
    enum class Kind : std::uint8_t { data, request, acknowledgment, control };

    Kind kind = Kind::data;
    NodeId from = 0;
    NodeId to = 0;
    unsigned port = 0;  ///< of the sender
    Bytes size{};       ///< of the data; headers are the network's own to add
};

/// What a rank's processor does for its Nic.
enum class HostWork : std::uint8_t { post_send, post_receive, poll_empty, reap, register_memory };

/// A network in virtual time. Made for one job and used by one thread; what it remembers of earlier
/// messages makes contention. It must not ask for clocks, addresses or chance: the same job then
/// gives the same times on every machine.
class Network {
  public:
    virtual ~Network() = default;
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /// When a message that a node hands over at `now` is in its target's memory. Called in the
    /// order of time. From one node to another messages stay in order: a time before that of an
    /// earlier message, or before `now`, becomes that one.
    virtual Time arrival(const NetworkMessage& message, Time now) = 0;
    /// How long the processor is busy with such a step; `size` is that of the message or region.
    virtual Duration host_cost(HostWork, Bytes) const { return {}; }

  protected:
    Network() = default;
};

}  // namespace railyard::fabric
