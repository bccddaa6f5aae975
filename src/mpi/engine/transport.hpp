#pragma once
/// How messages travel: over channels, with matching in this library, or through a port whose
/// adapter matches. A Process has one transport, and gives it the EngineState.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "launch/job/rank.hpp"
#include "mpi/engine/counters.hpp"
#include "mpi/engine/matcher.hpp"
#include "mpi/engine/message_watch.hpp"
#include "mpi/engine/request.hpp"
#include "mpi/engine/settings.hpp"
#include "railyard/connection.hpp"
#include "railyard/host.hpp"

namespace railyard::mpi {

/// What the library's own code costs in virtual time, where it would otherwise take none: settings
/// say how much (those of a paper's MPI, mostly). For real, code takes its time by itself.
class Overhead {
  public:
    Overhead(fabric::Host& host, const Settings& settings, bool virtual_time)
        : host_(host), settings_(settings), charges_(virtual_time) {}

    void exchange_addresses(int ranks) {
        if (charges_) host_.compute(settings_.address_exchange * std::int64_t{ranks});
    }
    void send() { charge(&Settings::send_overhead); }
    void sent() { charge(&Settings::send_rest); }
    void start_receive() { charge(&Settings::receive_start); }
    void receive() { charge(&Settings::receive_overhead); }
    void rendezvous() { charge(&Settings::rendezvous_overhead); }

    /// Between the library's own memory, which is at hand, and a program's buffer, if it is one.
    void copy_out(const std::byte* from, std::uint64_t bytes) {
        host_.charge_copy(bytes, nullptr, from);
    }
    void copy_in(const std::byte* to, std::uint64_t bytes) { host_.charge_copy(bytes, to); }
    void copy(std::uint64_t bytes) { host_.charge_copy(bytes); }
    void request() { host_.charge(fabric::Work::request); }

    /// What the matcher has searched since this was last called (PR-5).
    void search(Matcher& matcher) {
        if (charges_) [[unlikely]]
            charge(matcher.take_visits());
    }

  private:
    void charge(Duration Settings::*cost) {
        if (charges_) [[unlikely]]
            host_.charge(settings_.*cost);
    }
    void charge(const Matcher::Visits& visits) {
        charge(settings_.posted_entry, visits.posted);
        charge(settings_.unexpected_entry, visits.unexpected);
    }
    void charge(Duration entry, std::uint64_t n) {
        if (entry > Duration{})
            host_.charge(entry * static_cast<std::int64_t>(n));
        else
            host_.charge(fabric::Work::match_entry, n);
    }

    fabric::Host& host_;
    const Settings& settings_;
    bool charges_;
};

/// What transports share with the Process. All of it is the Process's, and outlives the transport.
struct EngineState {
    job::Rank& rank;
    fabric::Host& host;
    const Settings& settings;
    Counters& counters;
    RequestPool& requests;
    std::vector<Request*>& watched;  ///< complete, and their watchers not told yet
    Overhead overhead;
    MessageWatch* const& message_watch;  ///< null: nobody is told

    /// Whether the bytes of a message of that length stay behind: the same at both ends.
    bool stays(Content content, std::uint64_t n) const {
        return n > settings.payload.count() && content == Content::may_stay;
    }
    /// Of a send: counts it, too.
    bool leaves_content(Content content, std::uint64_t n) {
        const bool leaves = stays(content, n);
        if (leaves) [[unlikely]] {
            ++counters.without_content;
            counters.content_left += n;
        }
        return leaves;
    }
    void complete(Request& request) {
        request.complete = true;
        if (request.then != Request::nothing) [[unlikely]]
            go_on(request);
    }
    void go_on(Request& request) {
        if ((request.then & Request::record) != 0) {
            request.then &= static_cast<std::uint8_t>(~Request::record);
            message_watch->completed(request);
        }
        if ((request.then & Request::give_back) != 0)
            requests.give_back(request);
        else if ((request.then & Request::tell) != 0)
            watched.push_back(&request);
    }
    /// A request's data in one piece: where they lie; or, if they have gaps, a packed copy (of a
    /// receive: room for one), which the request owns.
    std::byte* pack(Request& request) {
        if (request.type == nullptr) return request.data;
        request.needs_cleanup = true;
        request.packed = std::make_unique_for_overwrite<std::byte[]>(request.bytes);
        if (request.kind == Request::Kind::send) {
            if (!request.stays) [[likely]]
                request.read_data(0, request.packed.get(), request.bytes);
            overhead.copy_out(request.users(0), request.bytes);
        }
        return request.packed.get();
    }
};

// How ranks learn where the others' Nics are: each publishes its own before anything else, under a
// key for each of its Nics.

/// The first Nic's; most ranks have no other.
inline constexpr std::string_view address_key = "mpi.address";

inline void publish_address(job::Rank& rank, std::string_view key, const fabric::Address& address) {
    rank.bootstrap().put(key, address.bytes);
}

/// Waits until that rank has published it.
inline fabric::Address address_of(job::Rank& rank, int peer, std::string_view key) {
    const auto bytes = rank.bootstrap().get(peer, key);
    fabric::Address address;
    std::copy_n(bytes.begin(), std::min(bytes.size(), address.bytes.size()), address.bytes.begin());
    return address;
}

/// A message that a matched probe has taken: only its receive can have it now.
struct Message {
    std::uint32_t index = 0;
    Status status;
    Unexpected* unexpected = nullptr;  ///< of a channel transport
    Request* taken = nullptr;          ///< of a tagged one: where the bytes went
    std::uint32_t number = 0;          ///< what the MessageWatch knows it by
};

/// Whether a message may wait for others to go with it, until its sender waits or makes progress.
enum class Coalescing : std::uint8_t { never, allowed };

class Transport {
  public:
    virtual ~Transport() = default;

    /// Sends a small dense message at once, if that is possible now: its bytes are copied, and the
    /// buffer is the caller's again.
    virtual bool send_now(const std::byte* data, std::size_t n, int peer, const Envelope& envelope,
                          Coalescing coalescing, Content content) = 0;
    /// Whether messages that send_now() took have not left yet: then the request of the one just
    /// taken is to be handed to complete_when_flushed().
    bool has_coalesced() const { return has_coalesced_; }
    virtual void complete_when_flushed(Request&) {}
    /// Starts a send: data, mode, peer and envelope are set. The buffer is the transport's until
    /// the request is complete.
    virtual void start_send(Request& send) = 0;
    /// Starts a receive: data, envelope and communicator are set. The buffer is the transport's
    /// until the request is complete.
    virtual void start_receive(Request& receive) = 0;
    /// Takes a request back that has not matched. True: it is gone. False: it completes as ever,
    /// or, if it is a send of which its receiver must be asked, perhaps as cancelled.
    virtual bool cancel(Request& request) = 0;

    virtual std::optional<Status> probe(const Envelope& wanted, Communicator& comm) = 0;
    /// The message that such a receive would take, out of its queue; false: none is here.
    virtual bool matched_probe(const Envelope& wanted, Communicator& comm, Message& message) = 0;
    virtual void start_receive(Request& receive, Message& message) = 0;

    /// Registers memory for RDMA, by others or of our own; kept for the next use if that is asked
    /// for. Null: there is no RDMA here that peers need no hand in.
    virtual std::shared_ptr<CachedRegion> register_memory(std::span<std::byte>, bool /*kept*/) {
        return nullptr;
    }
    /// Starts a one-sided request: data, region, peer and access are set. The memory is the
    /// adapter's until the request is complete; a write is so when it is in place at the peer.
    virtual void start_access(Request&) {}

    /// Copies at once between our memory and a peer's (fabric::QueuePair::write_now, read_now).
    /// False: that cannot be done here, or not now.
    virtual bool access_now(fabric::Op /*op*/, const fabric::RemoteSlice& /*remote*/,
                            std::span<std::byte> /*local*/, int /*peer*/) {
        return false;
    }

    /// Whether messages to that peer leave without a connection having to be made first.
    virtual bool is_connected(int /*peer*/) { return false; }

    /// Wakes a peer, after stores into shared memory. False: we are not connected to it.
    virtual bool wake(int /*peer*/) { return false; }

    /// Looks for what is likeliest to have come: rings, and little else.
    virtual void poll() = 0;
    /// Whether the likeliest packet of all may have come: one load. A hint; relaxed, since poll()
    /// reads the same byte again with acquire order.
    bool may_have_arrived() const {
        return hot_stamp_ == nullptr ||
               std::atomic_ref(*hot_stamp_).load(std::memory_order_relaxed) == hot_value_;
    }
    /// Looks for everything, and sees to all that waits.
    virtual void progress() = 0;
    /// Whether the last progress() left packets for the next one, to be fair to others: nobody will
    /// tell of them again, so whoever is about to sleep calls it once more instead.
    bool has_left() const { return has_left_; }
    /// Answers those who ask for connections, and no more. May be called while another call of this
    /// rank's waits, in virtual time.
    virtual void answer_requests() {}
    /// How many numbers there are that may travel with a message, 0 included.
    virtual std::uint32_t piggyback_limit() const { return 0x10000; }
    /// Whether nothing of ours waits to leave any more.
    virtual bool is_drained() const = 0;
    /// Ends all connections: all ranks are at their end.
    virtual void close() {}
    /// Connections over which something has gone; the rest was made for nothing.
    virtual std::uint64_t used_connections() const { return 0; }

    /// Everything comes by completions: polling memory in between finds nothing new.
    bool is_completion_driven() const { return completion_driven_; }

  protected:
    bool has_coalesced_ = false;
    bool completion_driven_ = false;
    bool has_left_ = false;
    /// A byte, and the value that it will have once the next packet is here, from the peer that
    /// sent the last one.
    std::byte* hot_stamp_ = nullptr;
    std::byte hot_value_{};
};

std::unique_ptr<Transport> make_channel_transport(const EngineState& engine);
std::unique_ptr<Transport> make_tagged_transport(const EngineState& engine);

}  // namespace railyard::mpi
