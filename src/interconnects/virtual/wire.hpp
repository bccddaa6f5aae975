#pragma once
/// When things happen on a virtual fabric. What happens (order, keys, receives, errors) is the same
/// for all of them and lives beside this file; a fabric is one implementation of Wire.

#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "fabric/fabric.hpp"
#include "fabric/memory.hpp"
#include "sim/action.hpp"

namespace railyard::virtual_time {

/// One end of a transfer. Numbers count up from nought in the order of making.
struct End {
    fabric::NodeId node = 0;
    std::uint32_t nic = 0;         ///< among those of the node
    std::uint32_t queue_pair = 0;  ///< among those of the Nic
    unsigned port = 0;
};

/// A piece of a region. Named by number and offset, never by host address: what a model counts
/// (pages, cache lines) must not depend on where the memory happened to lie.
struct Extent {
    std::uint64_t region = 0;  ///< among those of its Nic
    Bytes offset;
    Bytes length;
    fabric::Home home = fabric::Home::host;
};

enum class Kind : std::uint8_t {
    send,
    write,  ///< with or without an immediate value
    read_request,
    read_response,
    atomic_request,
    atomic_response,
    acknowledgment,  ///< the target's verdict on a send or a write, or its refusal of anything
    control,         ///< connecting and closing
};

/// A message, as far as its timing goes.
struct Transfer {
    std::uint64_t message = 0;  ///< its number in the fabric: the same in carry() and in place()
    Kind kind = Kind::control;
    End from;
    End to;
    Bytes size;            ///< of the payload
    bool inlined = false;  ///< the payload came with the request
    // Memory that is read and written; empty where there is none or it is not known yet. The lists
    // themselves live only as long as the call.
    std::span<const Extent> source;
    std::span<const Extent> target;
};

/// What a rank's processor does for its Nic.
enum class HostStep : std::uint8_t {
    post_send,
    post_receive,
    poll_empty,
    poll_found,
    register_memory
};

class Wire {
  public:
    Wire() = default;
    virtual ~Wire() = default;
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    /// Starts a transfer now. `arrived` runs, as an event and never within the call, when the far
    /// adapter can judge the message: its first packet is there, or all of it.
    ///
    /// Between two ends, messages arrive in the order in which they were carried; acknowledgments
    /// keep that order among themselves only, and a control message overtakes nothing.
    virtual void carry(const Transfer& transfer, sim::Action arrived) = 0;

    /// The message has been judged, and `target` is known (for a request to read: `source`).
    /// `placed` runs when all of it is in memory (has been read from there): at once, or later and
    /// then, between two ends, in the order of the calls.
    virtual void place(const Transfer&, sim::Action placed) { placed(); }

    /// `visible` runs when the rank can find the completion: at once, or later and then, of one
    /// Nic, in the order of the calls.
    virtual void complete(const End&, sim::Action visible) { visible(); }

    /// How long the rank's processor is busy with it. `size` is that of the message or the region.
    virtual Duration host_cost(HostStep, Bytes) const { return {}; }

    /// The fabric closes: drop all actions that are still held here. Called once, and nothing
    /// after.
    virtual void stop() {}
};

}  // namespace railyard::virtual_time
