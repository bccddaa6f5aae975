#pragma once
/// How messages travel: over channels, with matching in this library, or through a port whose
/// adapter matches. A Process has one.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "launch/job/rank.hpp"
#include "mpi/engine/counters.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/engine/settings.hpp"
#include "mpi/engine/toll.hpp"
#include "railyard/host.hpp"

namespace railyard::mpi {

/// What a transport stands on. All of it is the Process's, and outlives the transport.
struct Ground {
    job::Rank& rank;
    fabric::Host& host;
    const Settings& settings;
    Counters& counters;
    RequestPool& requests;
    Toll toll;

    void complete(Request& request) {
        request.complete = true;
        if (request.free_when_complete) [[unlikely]]
            requests.give_back(request);
    }
};

/// A message that a matched probe has taken: only its receive can have it now.
struct Message {
    std::uint32_t index = 0;
    Status status;
    struct Unexpected* unexpected = nullptr;  ///< of a channel transport
    Request* taken = nullptr;                 ///< of a tagged one: where the bytes went
};

/// Whether a message may wait for others to go with it, until its sender calls to wait or to look.
enum class Haste : std::uint8_t { leaves_now, may_wait };

class Transport {
  public:
    virtual ~Transport() = default;

    /// Takes a small dense message over at once, if that is possible now.
    virtual bool send_now(const std::byte* data, std::size_t n, int peer, const Envelope& envelope,
                          Haste haste) = 0;
    /// Whether messages that were taken over have not left yet: then the request of one that was
    /// just taken is to be handed to complete_when_gone().
    bool holds_back() const { return holds_back_; }
    virtual void complete_when_gone(Request&) {}
    /// Takes over a send: data, mode, peer and envelope are set.
    virtual void start_send(Request& send) = 0;
    /// Takes over a receive: data, envelope and communicator are set.
    virtual void start_receive(Request& receive) = 0;
    /// Takes a receive back that has not matched.
    virtual bool cancel(Request& receive) = 0;

    virtual std::optional<Status> probe(const Envelope& wanted, Communicator& comm) = 0;
    /// The message such a receive would take, taken out; false: none is here.
    virtual bool take(const Envelope& wanted, Communicator& comm, Message& message) = 0;
    virtual void start_receive(Request& receive, Message& message) = 0;

    /// Wakes a peer that we are connected to, after stores into shared memory.
    virtual void wake(int) {}

    /// A quick look at what is likeliest to have come.
    virtual void look() = 0;
    /// Whether the likeliest of all has come: one load. Without such a thing, always.
    bool is_worth_a_look() const {
        return hot_stamp_ == nullptr ||
               std::atomic_ref(*hot_stamp_).load(std::memory_order_relaxed) == hot_value_;
    }
    /// Does all that can be done now.
    virtual void progress() = 0;
    /// Whether anything of ours still waits to leave.
    virtual bool is_drained() const = 0;
    /// Connections over which something has gone; the rest was made for nothing.
    virtual std::uint64_t used_connections() const { return 0; }

    /// Nothing comes but by calls to the fabric: looking at memory in between finds nothing new.
    bool is_moved_by_calls() const { return moved_by_calls_; }

  protected:
    bool holds_back_ = false;
    bool moved_by_calls_ = false;
    /// A byte, and the value that it will have once the next packet is here, from the peer that
    /// sent the last one. Only a hint: look() reads it again, with acquire order.
    std::byte* hot_stamp_ = nullptr;
    std::byte hot_value_{};
};

std::unique_ptr<Transport> make_channel_transport(const Ground& ground);
std::unique_ptr<Transport> make_tagged_transport(const Ground& ground);

}  // namespace railyard::mpi
