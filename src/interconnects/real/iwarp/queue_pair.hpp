#pragma once
/// One end of a connection. Requests become messages of the stream in the order of posting, as far
/// as the socket takes them; the rest wait in a queue and move on whenever the Nic makes progress.
///
/// The class is spread over files by concern: queue_pair.cpp (life, queue, failure, checks of
/// requests, and what a Terminate means), messages.cpp (requests out, and what comes in),
/// connecting.cpp.

#include <cstdint>
#include <memory>
#include <optional>

#include "interconnects/real/common/queue_pair.hpp"
#include "interconnects/real/iwarp/connection.hpp"
#include "interconnects/real/iwarp/hello.hpp"
#include "interconnects/real/iwarp/link.hpp"
#include "interconnects/real/iwarp/names.hpp"
#include "interconnects/real/iwarp/queues.hpp"

namespace railyard::iwarp {

class Nic;

class QueuePair final : public real::QueuePair<Parts>, public Upcalls {
  public:
    QueuePair(Nic& nic, const fabric::QueuePairOptions& options);
    ~QueuePair() override;

    Status connect(const fabric::Address& to, fabric::Service service,
                   const fabric::PrivateData& data, Time deadline) override;
    Status accept(fabric::ConnectionRequest& request, const fabric::PrivateData& data) override;
    Status connect_peer(const fabric::Address& to, fabric::Discriminator discriminator,
                        const fabric::PrivateData& data, Time deadline) override;
    void close() override;
    Posted post(std::span<const fabric::WorkRequest> requests) override;
    using fabric::QueuePair::post;

    // For its link.

    /// Gives requests to the stream, as long as that takes them.
    void issue();
    /// Completes those that are done, oldest first.
    void retire();
    /// No request waits for anything.
    bool is_idle() const {
        return oldest_ == nullptr && state_ == fabric::ConnectionState::connected;
    }
    /// All requests are with the stream, or further, and nobody is to be asked for confirmation.
    bool has_issued_all() const {
        return unissued_ == nullptr && !life_wanted_ &&
               confirmation_wanted_ == confirmation_asked_ &&
               state_ == fabric::ConnectionState::connected;
    }
    /// The TCP connection has ended.
    void link_lost();
    /// There is a message, and no receive for it.
    void starve();

    // For the receive queue.

    /// A receive has been posted: goes on with what waits for it.
    void receive_posted();

    // For the Nic, and for those who connect.

    Link* link() { return link_.get(); }
    /// Whether it asks `from` for `discriminator`, by another ask than `theirs`.
    bool waits_for(const NicId& from, fabric::Discriminator discriminator, const Ask& theirs) const;
    /// A peer asks for what this queue pair asks for, too.
    void meet(const std::shared_ptr<IncomingConnection>& theirs);
    void attempt_agreed();
    void attempt_rejected();
    void attempt_failed();
    /// What time brings: attempts that are too late, messages that waited too long.
    bool tick(Time now);
    /// When tick() is due; never if nothing depends on time.
    Time next_timer() const;
    /// Asks the peer for a sign of life, unless it has been and did not answer yet.
    void ask_for_life();

    // Upcalls of the stream: messages.cpp.

    const ReceiveBuffer* claim_receive() override;
    void received(const Arrival& arrival) override;
    void receive_failed(Status why) override;
    void written() override;
    void requested() override { become_ready(); }
    void answered(const Outstanding& request, std::uint64_t original) override;
    void failed(const Terminate& found) override;
    void terminated_by_peer(const Terminate& found) override;
    void lost() override { fail(Code::remote_closed, Code::remote_closed, std::nullopt); }

  private:
    // queue_pair.cpp
    void enqueue(const fabric::WorkRequest& work, std::uint64_t length, Code fault);
    bool is_done(const Request& request) const;
    void retire_done();
    Request* unlink_oldest();
    void complete(const Request& request, Code status);
    /// The queue pair is over for the reason `code`. `oldest` goes to the oldest request that still
    /// waits, all others are flushed; the peer is told `last_words`.
    void fail(Code code, Code oldest, const std::optional<Terminate>& last_words);
    void flush_requests(Code oldest);
    Code check(const fabric::WorkRequest& work, std::uint64_t length) const;
    Code status_of(const Terminate& found) const;

    // messages.cpp
    bool begin_next(Stream& stream);
    bool begin_request(Stream& stream, Request& request);
    void part_added(Request& request, std::uint64_t end);
    bool ask_for_confirmation(Stream& stream);

    // connecting.cpp
    void begin_asking(const NicName& to, bool as_peer, std::uint64_t target,
                      const fabric::PrivateData& data, Time deadline);
    void start_attempt();
    void say_why(ConnectAttempt& failed);
    void start_over();
    std::optional<Hello> hello() const;
    bool answer(const std::shared_ptr<IncomingConnection>& connection);
    Stream::Settings stream_settings(const mpa::Agreement& agreement, int socket) const;
    void set_peer(const std::optional<Hello>& theirs);
    void connection_failed(Code code);
    void stop_asking();
    void become_ready() {
        if (state_ != fabric::ConnectionState::connected) [[unlikely]]
            connected();
    }
    void connected();

    // What a small message touches comes first.
    bool claimed_ = false;  ///< receive_ is in use
    bool starving_ = false;
    std::uint32_t count_ = 0;  ///< requests from oldest_ on
    std::uint32_t reads_under_way_ = 0;
    Request* oldest_ = nullptr;
    Request* newest_ = nullptr;
    Request* unissued_ = nullptr;  ///< the oldest that is not wholly in the outbox
    Request* current_ = nullptr;   ///< whose message the stream is cutting up
    std::uint64_t sequence_ = 0;
    std::uint64_t confirmed_ = 0;  ///< requests up to this one are known to be done at the peer
    std::uint64_t confirmation_wanted_ = 0;
    std::uint64_t confirmation_asked_ = 0;
    std::uint32_t next_number_ = 1;  ///< of sinks and atomics: what answers name
    std::unique_ptr<Link> link_;
    PostedReceive receive_;
    ReceiveBuffer receive_buffer_;

    Code receive_fault_ = Code::ok;
    bool peer_is_ours_ = false;
    bool life_asked_ = false;   ///< and not yet answered
    bool life_wanted_ = false;  ///< to be asked
    NicId peer_{};
    Duration own_patience_;                          ///< with a peer that posts no receive
    Duration peers_patience_ = Duration::forever();  ///< with us
    Time starving_until_ = Time::never();
    // While connecting.
    struct Asking {
        NicName to;
        bool as_peer = false;
        bool plain = false;  ///< with a peer that is not ours
        std::uint64_t target = 0;
        std::uint8_t revision = 2;  ///< of MPA, to peers that may not know that one
        fabric::PrivateData data;
        Time deadline = Time::never();
        Time yields_until = Time::never();
        std::optional<SimultaneousOpen> both_ask;
        std::unique_ptr<ConnectAttempt> attempt;
    };
    std::unique_ptr<Asking> asking_;
    std::optional<Ask> peers_ask_;  ///< that lost against ours, and may still come
};

}  // namespace railyard::iwarp
