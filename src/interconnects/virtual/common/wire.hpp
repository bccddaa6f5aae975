#pragma once
/// When things happen on a virtual fabric. What happens (order, keys, receives, errors) is the same
/// for all of them and lives beside this file; a fabric is one implementation of Wire.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hosts/virtual_host.hpp"
#include "railyard/barrier.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "railyard/broadcast.hpp"
#include "railyard/fabric.hpp"
#include "railyard/memory.hpp"
#include "railyard/tagged_port.hpp"
#include "sim/action.hpp"

namespace railyard::virtual_time {

/// One end of a transfer. Numbers count up from 0 in the order of making.
struct End {
    fabric::NodeId node = 0;
    std::uint32_t nic = 0;         ///< among those of the node
    std::uint32_t queue_pair = 0;  ///< among those of the Nic
    unsigned port = 0;

    friend bool operator==(const End&, const End&) = default;
};

/// A piece of a region. Named by number and offset, never by host address: what a model counts
/// (pages, cache lines) must not depend on where the memory happened to lie.
struct Extent {
    std::uint64_t region = 0;  ///< among those of its Nic
    Bytes offset;
    Bytes length;
    fabric::Home home = fabric::Home::host;
    Bytes region_size = {};
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
    tagged,          ///< an eager message of a tagged port, with its envelope
    tagged_request,  ///< the envelope alone, of a message that waits for its match
    tagged_pull,     ///< the match's answer: the data may come
    tagged_data,     ///< of a message that has matched
};

/// A message, as far as its timing goes.
struct Transfer {
    std::uint64_t message = 0;  ///< its number in the fabric: the same in carry() and in place()
    Kind kind = Kind::control;
    End from;
    End to;
    Bytes size;                  ///< of the payload
    bool inlined = false;        ///< the payload came with the request
    bool takes_receive = false;  ///< at the target
    bool again = false;          ///< the target was not ready for it before
    // Memory that is read and written; empty where there is none or it is not known yet. The lists
    // themselves live only as long as the call.
    std::span<const Extent> source;
    std::span<const Extent> target;
};

/// What a rank's processor does for its Nic.
enum class HostStep : std::uint8_t {
    post_send,
    post_receive,
    poll_empty,    ///< a poll that found nothing
    reap_send,     ///< each completion of an own request that a poll found
    reap_receive,  ///< each completion of a receive
    register_memory,
    deregister_memory,
    create_queue_pair,
    connect,     ///< either side, once a connection
    disconnect,  ///< either side, once a connection that stood
    destroy_queue_pair,
    tagged_send,
    tagged_receive,
    tagged_reap,
};

/// What a completion is of, as far as its timing goes.
struct Finished {
    bool receive = false;
    Bytes size;
};

/// What becomes of a message that finds no receive.
struct NotReady {
    static constexpr unsigned for_ever = 7;  ///< as the retry count of InfiniBand has it

    Duration timer;        ///< the sender waits so long and sends again; 0: the target holds it
    unsigned retries = 0;  ///< of one message; then the connection fails
    bool breaks = false;   ///< the connection fails at once, as in VIA

    bool refuses() const { return timer > Duration{}; }
};

/// How a tagged port treats messages by their size.
struct TaggedRules {
    Bytes inline_limit;  ///< up to here a message comes with the doorbell
    Bytes eager_limit;   ///< up to here it is sent at once; larger ones after the match
    static constexpr Bytes never{~std::uint64_t{0}};
    Bytes copied_from = never;           ///< eager ones from here on are copied, both sides
    Bytes piece = never;                 ///< ... in pieces, while others are under way
    bool implicit_registration = false;  ///< buffers of larger ones are registered on the way
    unsigned registration_cache = 0;     ///< so many of them stay registered
};

/// The tagged port of a Nic.
class NicTaggedPort : public fabric::TaggedPort {
  public:
    /// The Nic goes. Events may hold the port longer.
    virtual void close() = 0;
};

class NicState;

class Wire {
  public:
    Wire() = default;
    virtual ~Wire() = default;
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    /// Starts a transfer now. `arrived` runs, as an event and never within the call, when the far
    /// adapter can judge the message: its first packet is there, or all of it.
    ///
    /// Between two ends, requests arrive in the order in which they were carried, and so do
    /// envelopes of tagged messages; answers, pulls, announced data and acknowledgments may pass
    /// them. A control message overtakes nothing and is not overtaken.
    virtual void carry(const Transfer& transfer, sim::Action arrived) = 0;

    /// The same for an acknowledgment that nobody waits for: `arrived` runs when tell() is next
    /// asked for it, if it would have run by then.
    virtual void carry_unheard(const Transfer& transfer, sim::Action arrived) {
        carry(transfer, std::move(arrived));
    }
    /// Runs what has come so for the node of that end.
    virtual void tell(const End&) {}
    /// Somebody waits after all: what is still on its way so comes by events.
    virtual void tell_by_events(const End&) {}

    /// The message has been judged, and `target` is known (for a request to read: `source`).
    /// `placed` runs when all of it is in memory (has been read from there): at once, or later and
    /// then, between two ends, in the order of the calls.
    virtual void place(const Transfer&, sim::Action placed) { placed(); }

    virtual NotReady not_ready() const { return {}; }
    /// Within `arrived`, in place of place(): the target does not take the message, and its data go
    /// nowhere.
    virtual void drop() {}
    /// That end sends nothing more of the requests it has carried: what has not left stays, and
    /// none of them that has will be placed.
    virtual void recall(const End&) {}

    /// `visible` runs when the rank can find the completion: at once, or later and then, of one
    /// Nic, in the order of the calls.
    virtual void complete(const End&, const Finished&, sim::Action visible) { visible(); }

    /// Adapter-matched ports: `matched` runs when the adapter has passed over so many posted
    /// receives and unexpected messages, in the order of the calls of one Nic.
    virtual void match(const End&, std::size_t /*posted*/, std::size_t /*unexpected*/,
                       sim::Action matched) {
        matched();
    }
    virtual TaggedRules tagged_rules() const { return {}; }
    /// A tagged port of the fabric's own, for a fabric whose adapters have one; null: it is made of
    /// carry(), match() and place().
    virtual std::shared_ptr<NicTaggedPort> make_tagged_port(const std::shared_ptr<NicState>&) {
        return nullptr;
    }

    /// A queue pair was made, or is gone.
    virtual void opened(const End&) {}
    virtual void closed(const End&) {}
    /// A region is gone: its pages mean nothing any more.
    virtual void forgotten(const End&, std::uint64_t /*region*/) {}

    /// How long the rank's processor is busy with it. `size` is that of the message or the region.
    virtual Duration host_cost(HostStep, Bytes) const { return {}; }
    /// What software and waking up cost on a host that opens a Nic here.
    virtual hosts::VirtualHost::Costs host_costs() const { return {}; }

    /// See fabric::Nic::make_barrier(); `self` is a place in the list, and the host is told of
    /// news.
    virtual std::unique_ptr<fabric::Barrier> make_barrier(std::span<const End> /*members*/,
                                                          std::size_t /*self*/,
                                                          hosts::VirtualHost& /*host*/) {
        return nullptr;
    }
    /// See fabric::Nic::make_broadcast(); likewise.
    virtual std::unique_ptr<fabric::Broadcast> make_broadcast(std::span<const End> /*members*/,
                                                              std::size_t /*self*/,
                                                              hosts::VirtualHost& /*host*/) {
        return nullptr;
    }

    /// A wire can break: then some of what it carries never arrives. Whoever hears of it is told,
    /// in an event, that one node has given another up: what was under way between the two, either
    /// way, may be lost.
    using GivenUp = std::function<void(fabric::NodeId from, fabric::NodeId to)>;
    virtual bool can_break() const { return false; }
    virtual void tell_when_given_up(GivenUp) {}

    /// See fabric::Fabric::parts().
    virtual std::vector<fabric::PartUse> parts() const { return {}; }

    /// The fabric closes: drop all actions that are still held here. Called once, and nothing
    /// after.
    virtual void stop() {}
};

}  // namespace railyard::virtual_time
