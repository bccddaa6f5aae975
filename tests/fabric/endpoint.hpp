#pragma once
/// One queue pair with all that it needs, and what a test wants to say to it: post this, expect
/// that. Every wait ends; every surprise throws with the line of the test.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fabric/buffer.hpp"
#include "fabric/team.hpp"
#include "railyard/nic.hpp"

// Tests write `{.id = 1}` for a request that is otherwise empty; GCC 12 warns of members that have
// no initialiser of their own even then.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace railyard::contract {

struct EndpointOptions {
    std::uint32_t send_depth = 128;
    std::uint32_t receive_depth = 128;
    std::uint32_t completion_depth = 1024;
    Duration receiver_not_ready_timeout = Duration::forever();
    unsigned port = 0;
    // Unset: the endpoint makes its own.
    fabric::Nic* nic = nullptr;
    fabric::CompletionQueue* sent = nullptr;
    fabric::CompletionQueue* received = nullptr;
    fabric::ReceiveQueue* receives = nullptr;
};

class Endpoint {
  public:
    explicit Endpoint(Team& team, const EndpointOptions& options = {});

    /// Peer to peer, with a rank that does the same; returns once connected.
    void connect(int peer, Where where = Where::current());
    void connect(int peer, fabric::Discriminator discriminator, Where where = Where::current());
    void connect(const fabric::Address& peer, fabric::Discriminator discriminator,
                 Where where = Where::current());
    /// Only asks.
    void ask(const fabric::Address& peer, fabric::Discriminator discriminator,
             const fabric::PrivateData& data = {}, Where where = Where::current());
    void await_connected(Where where = Where::current());

    fabric::QueuePair& queue_pair() { return *queue_pair_; }
    fabric::CompletionQueue& sent_queue() { return *sent_; }
    fabric::CompletionQueue& received_queue() { return *received_; }
    fabric::ReceiveQueue& receive_queue() { return *receives_; }
    /// Ends the queue pair; the queues stay.
    void destroy_queue_pair() { queue_pair_.reset(); }

    // Requests. Each is taken, if need be after a while of back-pressure.

    void post(const fabric::WorkRequest& request, Where where = Where::current());
    void send(std::uint64_t id, const fabric::Slice& from,
              fabric::Flags flags = fabric::Flags::none, Where where = Where::current());
    void send_imm(std::uint64_t id, const fabric::Slice& from, std::uint32_t immediate,
                  fabric::Flags flags = fabric::Flags::none, Where where = Where::current());
    void write(std::uint64_t id, const fabric::Slice& from, fabric::RemoteSlice to,
               fabric::Flags flags = fabric::Flags::none, Where where = Where::current());
    void write_imm(std::uint64_t id, const fabric::Slice& from, fabric::RemoteSlice to,
                   std::uint32_t immediate, fabric::Flags flags = fabric::Flags::none,
                   Where where = Where::current());
    void read(std::uint64_t id, const fabric::Slice& into, fabric::RemoteSlice from,
              fabric::Flags flags = fabric::Flags::none, Where where = Where::current());
    void fetch_add(std::uint64_t id, const fabric::Slice& old, fabric::RemoteSlice word,
                   std::uint64_t addend, fabric::Flags flags = fabric::Flags::none,
                   Where where = Where::current());
    void compare_swap(std::uint64_t id, const fabric::Slice& old, fabric::RemoteSlice word,
                      std::uint64_t expected, std::uint64_t wanted,
                      fabric::Flags flags = fabric::Flags::none, Where where = Where::current());
    void receive(std::uint64_t id, const fabric::Slice& into, Where where = Where::current());
    /// Room for a message of no bytes.
    void receive(std::uint64_t id, Where where = Where::current());

    // Completions.

    /// The next one, whatever it says.
    fabric::Completion next_sent(Where where = Where::current());
    fabric::Completion next_received(Where where = Where::current());
    /// The next one is of that request and says `status`.
    fabric::Completion expect_sent(std::uint64_t id, Status status = Code::ok,
                                   Where where = Where::current());
    /// The next receive to complete is that one, filled with `length` bytes.
    fabric::Completion expect_received(std::uint64_t id, std::size_t length,
                                       Where where = Where::current());
    void expect_received_imm(std::uint64_t id, std::size_t length, std::uint32_t immediate,
                             Where where = Where::current());
    /// The receives with these ids, in this order, are given up.
    void expect_receives_flushed(std::span<const std::uint64_t> ids,
                                 Where where = Where::current());
    /// The queue pair turns (or is) failed, with that reason, and takes no more requests.
    void expect_failed(Status reason, Where where = Where::current());
    /// Nothing completes for a while.
    void expect_silence(Duration duration, Where where = Where::current());

  private:
    fabric::Completion next(fabric::CompletionQueue& queue, std::string_view what, Where where);

    Team& team_;
    // The queue pair is declared last: it goes first.
    std::unique_ptr<fabric::CompletionQueue> own_sent_, own_received_;
    std::unique_ptr<fabric::ReceiveQueue> own_receives_;
    fabric::CompletionQueue* sent_;
    fabric::CompletionQueue* received_;
    fabric::ReceiveQueue* receives_;
    std::unique_ptr<fabric::QueuePair> queue_pair_;
};

/// What one rank asks of its peer and of itself in a test of one-way traffic between two.
inline constexpr int sender = 0;
inline constexpr int receiver = 1;

/// The next completion of any queue, or none within `duration`.
std::optional<fabric::Completion> poll_for(Team& team, fabric::CompletionQueue& queue,
                                           Duration duration);

/// A few bytes each way through a connected pair of endpoints: it works.
void check_alive(Team& team, Endpoint& endpoint, Where where = Where::current());

}  // namespace railyard::contract
