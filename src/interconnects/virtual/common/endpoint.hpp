#pragma once
/// One end of a connection: what a queue pair holds, in what order it starts and completes it, what
/// it does for its peer, and how it fails. Its parts:
///
///     endpoint.cpp     requests from post() to completion, failure and closing
///     target.cpp       what a request does when it arrives at the other end
///     not_ready.cpp    what both do about one that finds no receive there
///     queue_pair.cpp   how two endpoints find each other
///
/// A message is never copied on the way: the target's end reads the request, and the bytes it
/// names, out of the initiator's end. The way of a request, with the step of Wire between:
///
///     post, start -carry-> arrive, judge -place-> execute -carry-> answered, retire
///                           (reads, atomics:      execute -carry-> returned -place-> landed,
///                           retire)
///
/// A completion tells the target's verdict, so it cannot come before that: completion "when the
/// buffer is free again" and completion "when done at the peer" are the same moment here.
///
/// Events hold endpoints by shared pointer. An endpoint serves one connection: a queue pair that
/// connects anew gets a new one, and what is still under way for the old one finds it dead.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/virtual/common/queues.hpp"
#include "railyard/parcel.hpp"
#include "railyard/queue_pair.hpp"

namespace railyard::virtual_time {

/// A work request that was taken, until it has completed and nothing of it is under way.
struct Request {
    std::uint64_t id = 0;
    fabric::Op op = fabric::Op::send;
    fabric::Flags flags = fabric::Flags::none;
    bool has_immediate = false;
    bool invalidates = false;
    std::uint32_t immediate = 0;
    Bytes size;
    Bytes content;  ///< of these, so many have to come
    std::vector<Piece> local;
    /// The payload where it is not in `local`: inlined, saved from a closed queue pair's memory, or
    /// on its way back from a read.
    std::vector<std::byte> carried;
    bool payload_carried = false;
    fabric::Parcel parcel;  ///< likewise, where `local` is but addresses
    RegionKey remote;
    Bytes remote_offset;
    RegionKey invalidate;
    std::uint64_t operand = 0;
    std::uint64_t swap = 0;
    std::uint64_t message = 0;  ///< Transfer::message

    // At the target.
    Status verdict;
    bool took_receive = false;
    std::shared_ptr<RegionState> target;
    std::shared_ptr<RegionState> invalidated;
    // At the initiator.
    Status status;
    bool done = false;  ///< its status is known

    bool returns() const {  ///< brings data back
        return op == fabric::Op::rdma_read || op == fabric::Op::fetch_add ||
               op == fabric::Op::compare_swap;
    }
    bool atomic() const { return returns() && op != fabric::Op::rdma_read; }
    Kind kind() const {
        if (op == fabric::Op::send) return Kind::send;
        if (!returns()) return Kind::write;
        return atomic() ? Kind::atomic_request : Kind::read_request;
    }
    /// Somebody is told when it is done; all others are only counted.
    bool is_waited_for() const {
        return !fabric::has(flags, fabric::Flags::unsignalled) || returns() || status.failed();
    }
    bool consumes_receive() const {
        return op == fabric::Op::send || op == fabric::Op::rdma_write_imm;
    }
};

/// Requests for all endpoints of a network, whatever they have allocated serving the next. The one
/// given back last is lent first: few of all are under way at a time.
class RequestPool {
  public:
    Request& take() {
        if (free_.empty()) grow();
        Request& request = *free_.back();
        free_.pop_back();
        return request;
    }
    void give_back(Request& request) { free_.push_back(&request); }

  private:
    static constexpr std::size_t slab_size = 16;
    void grow() {
        slabs_.push_back(std::make_unique<Request[]>(slab_size));
        for (std::size_t i = slab_size; i-- > 0;)
            free_.push_back(&slabs_.back()[i]);
    }

    std::vector<std::unique_ptr<Request[]>> slabs_;
    std::vector<Request*> free_;
};

/// The requests of one endpoint, by sequence number. The pool outlives it.
class Requests {
  public:
    explicit Requests(RequestPool& pool) : pool_(pool) {}
    ~Requests() {
        while (!empty())
            pop();
    }
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;

    std::uint64_t begin() const { return ring_.begin(); }
    std::uint64_t end() const { return ring_.end(); }
    std::size_t size() const { return ring_.size(); }
    bool empty() const { return ring_.empty(); }
    Request& operator[](std::uint64_t sequence) { return *ring_[sequence]; }
    Request& front() { return *ring_.front(); }
    /// The new last one, with whatever it held before.
    Request& push() { return *(ring_.push() = &pool_.take()); }
    void pop() {
        pool_.give_back(front());
        ring_.pop();
    }
    void pop_last() {
        pool_.give_back(*ring_[ring_.end() - 1]);
        ring_.pop_last();
    }

  private:
    RequestPool& pool_;
    Ring<Request*> ring_;
};

/// A wish to connect, on its way to the other side or waiting there.
struct Ask {
    enum class Model : std::uint8_t { client_server, peer_to_peer };
    Model model = Model::client_server;
    NicName from;
    NicName to;
    std::uint64_t what = 0;                      ///< service or discriminator
    std::unique_ptr<fabric::PrivateData> data;   ///< until it is matched
    std::unique_ptr<fabric::PrivateData> reply;  ///< of who accepted or rejected, until it is heard
    std::weak_ptr<Endpoint> endpoint;            ///< whose wish it is
    std::weak_ptr<Endpoint> matched;             ///< the other side's, once there is one
    bool settled = false;                        ///< matched, rejected or withdrawn
};

class Endpoint : public std::enable_shared_from_this<Endpoint> {
  public:
    struct Setup {
        std::shared_ptr<NicState> nic;
        std::uint32_t number = 0;
        fabric::QueuePair* queue_pair = nullptr;  ///< the user's, as it stands in completions
        std::shared_ptr<CompletionState> send_completions;
        std::shared_ptr<CompletionState> receive_completions;
        std::shared_ptr<ReceiveState> receives;  ///< null: takes no messages
        std::uint32_t send_depth = 0;
        unsigned port = 0;
        Duration receiver_not_ready_timeout;
    };
    explicit Endpoint(Setup setup)
        : setup_(std::move(setup)), sends_(*setup_.nic->network->requests) {}

    const Setup& setup() const { return setup_; }
    fabric::ConnectionState state() const { return state_; }
    Status reason() const { return reason_; }
    const fabric::PrivateData& peer_data() const { return peer_data_; }
    /// Was it ever connected?
    bool used() const { return used_; }
    End end() const {
        return {setup_.nic->name.node, setup_.nic->name.nic, setup_.number, setup_.port};
    }

    // For the queue pair: connecting (queue_pair.cpp).
    Status ask(Ask::Model model, const NicName& to, std::uint64_t what,
               const fabric::PrivateData& data, Time deadline);
    Status accept(const std::shared_ptr<Ask>& ask, const fabric::PrivateData& data);
    /// Sends a rejection back.
    static void reject(Network& network, const std::shared_ptr<Ask>& ask);

    // For the queue pair: working.
    fabric::QueuePair::Posted post(std::span<const fabric::WorkRequest> requests);
    void close();
    /// The queue pair is destroyed: nothing more is told to anybody.
    void detach();

    // For PeerLossListeners: this end's node has given up the peer's, or the other way round.
    void given_up(fabric::NodeId node, fabric::NodeId peer_node, bool by_this_node);

    // For the receive queue.
    void receive_posted();
    void flush_receive(std::uint64_t id);

  private:
    using Ref = std::shared_ptr<Endpoint>;
    enum class InFlight { dropped, delivered };

    // endpoint.cpp: the initiator's side.
    Status check(const fabric::WorkRequest& request) const;
    Status take(const fabric::WorkRequest& request);
    void advance();
    void start(std::uint64_t sequence, bool again = false);
    void answered(std::uint64_t sequence, Status status);
    void returned(std::uint64_t sequence);
    void landed(std::uint64_t sequence);
    void retire();
    bool complete(const Request& request, Status status);
    void finish(fabric::ConnectionState state, Status reason, Status first, InFlight in_flight);
    void fail(Status reason, Status first) {
        finish(fabric::ConnectionState::failed, reason, first, InFlight::dropped);
    }
    void save_in_flight();
    void flush(Status first);
    void peer_closed(const Ref& peer);

    // target.cpp: the target's side.
    bool serves(const Ref& from) const;
    void arrive(const Ref& from, std::uint64_t sequence);
    void serve();
    bool judge(Request& request);
    bool take_receive(Request& request);
    void execute(const Ref& from, std::uint64_t sequence);
    Status deliver(Request& request);
    fabric::Parcel parcel_of(Request& request) const;
    void fetch(Request& request);
    void send_back(const Ref& from, std::uint64_t sequence);
    void answer(const Ref& from, std::uint64_t sequence, Status status);
    bool complete_receive(const Request& request, Status status);

    // not_ready.cpp
    void no_receive();
    void break_for_want_of_receive();
    void wait_for_receive();
    void refuse_for_now();
    void tell_not_ready(const Ref& from);
    void peer_not_ready(std::uint64_t sequence);
    void send_again(std::uint64_t sequence);

    // queue_pair.cpp
    bool match_earlier_ask();
    void stop_asking();
    void connected_to(const Ref& peer, const fabric::PrivateData& data);
    void accepted_by(const Ref& peer);
    void rejected(const std::shared_ptr<Ask>& ask);
    void hear_when_given_up();
    void tell_gone(const Ref& peer);
    static void gone(const Ref& who, const Ref& peer);
    static void asked(Network& network, const std::shared_ptr<Ask>& ask);

    Network& network() const { return *setup_.nic->network; }
    sim::Engine& engine() const { return network().engine; }
    Wire& wire() const { return *network().wire; }
    /// A new message from here.
    Transfer transfer(Kind kind, const End& to) const;

    Setup setup_;
    fabric::ConnectionState state_ = fabric::ConnectionState::idle;
    Status reason_;
    bool used_ = false;
    bool recalled_ = false;   ///< failed: what is still under way from here must not be delivered
    bool peer_gone_ = false;  ///< the peer is known to be dead and need not be told
    Ref peer_;                ///< set while connected
    fabric::PrivateData peer_data_;
    std::shared_ptr<Ask> ask_;
    sim::Event connect_timer_;

    Requests sends_;
    std::uint64_t started_ = 0;     ///< requests before this one have been given to the wire
    unsigned reads_under_way_ = 0;  ///< and atomics: what a fence waits for
    unsigned waited_for_ = 0;       ///< of those in `sends_`
    bool refused_again_ = false;    ///< a post found no room: say so when there is some
    /// The request for which the peer was not ready the last time, how often that was so, and since
    /// when; and the time to send it again.
    struct Refused {
        std::uint64_t sequence = ~std::uint64_t{0};
        unsigned times = 0;
        Time since;
    };
    Refused refused_;
    sim::Event send_again_;
    bool waits_to_send_again_ = false;

    // Of the peer's sequence.
    std::uint64_t arrived_ = 0;
    std::uint64_t served_ = 0;
    bool deaf_ = false;  ///< a request was found bad: nothing behind it is looked at
    bool waits_for_receive_ = false;
    sim::Event not_ready_timer_;
    unsigned refusals_ = 0;  ///< of the next request, which has to be sent again; 0: it has not
    Ring<Receive> taken_;    ///< receives whose messages are being placed
};

}  // namespace railyard::virtual_time
