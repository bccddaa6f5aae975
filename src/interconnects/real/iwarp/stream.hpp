#pragma once
/// One connection after its start-up, as a queue pair sees it, and without a socket: bytes come in
/// and are placed, messages are given and become bytes. It answers the peer's Reads and atomics by
/// itself, and sees to it that a Terminate is the last thing that leaves.
///
///     in:   readv(direct() + a buffer), direct_filled(), receive_posted()      -> Upcalls
///     out:  while (pump() and there is a request) begin(request)     -> outbox() -> sendmsg

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "interconnects/real/iwarp/framing.hpp"
#include "interconnects/real/iwarp/headers.hpp"
#include "interconnects/real/iwarp/outbox.hpp"
#include "interconnects/real/iwarp/receiver.hpp"
#include "interconnects/real/iwarp/tags.hpp"

namespace railyard::iwarp {

/// A message to be sent. The payload's list is its owner's while the message is being cut up, and
/// the memory until the outbox has sent it.
struct Message {
    rdmap::Opcode opcode = rdmap::Opcode::send;
    std::uint32_t stag = 0;  ///< tagged: where to; sends that invalidate: what
    std::uint64_t to = 0;
    std::span<const Place> payload{};
    std::uint64_t length = 0;  ///< of the payload: the sum of its places
    bool may_change = false;   ///< the payload, before it is sent: others may write there
    std::array<std::byte, rdmap::longest_control> control;
    std::size_t control_size = 0;
};

// What the operations look like. Payload as in Message.
struct SendFlags {
    bool solicited = false;
    bool invalidates = false;
    std::uint32_t stag = 0;  ///< the peer's, to be invalidated
};
Message send_message(std::span<const Place> payload, std::uint64_t length, SendFlags flags = {});
Message write_message(std::uint32_t stag, std::uint64_t to, std::span<const Place> payload,
                      std::uint64_t length);
Message immediate_message(std::uint32_t value, bool solicited = false);
/// Goes ahead of a Send to one of our own Nics. See rdmap::Immediate.
Message immediate_of_send_message(std::uint32_t value);
Message read_message(const rdmap::ReadRequest& request);
Message read_response_message(const rdmap::ReadRequest& request, std::span<const Place> payload);
Message atomic_message(const rdmap::AtomicRequest& request);
Message atomic_response_message(const rdmap::AtomicResponse& response);
Message terminate_message(const Terminate& found);

/// DDP's and RDMAP's sending side of one stream: cuts a message into segments and gives them to
/// MPA. Messages leave one after the other, whole.
class Sender {
  public:
    /// `ulpdu`: how long a segment may be (mpa::ulpdu_for_segment, or more for a peer in software).
    Sender(mpa::Framing framing, std::size_t ulpdu, std::uint32_t first_msn = ddp::first_msn)
        : framer_(framing), ulpdu_(ulpdu) {
        next_msn_.fill(first_msn);
    }
    /// For segments that are yet to be cut.
    void set_ulpdu(std::size_t ulpdu) { ulpdu_ = ulpdu; }

    bool busy() const { return busy_; }
    /// Only when not busy(), and not after a Terminate.
    void begin(const Message& message);
    /// Gives up the message under way, between two of its segments. Only a Terminate may follow.
    void abandon() { busy_ = false; }

    enum class Pumped : std::uint8_t {
        done,         ///< nothing is left of the message
        full,         ///< the outbox is; go on when it has been emptied
        source_lost,  ///< the memory that is sent from has gone
    };
    Pumped pump(Outbox& out);

    /// How much of the payload is cut.
    std::uint64_t progress() const { return progress_; }

  private:
    mpa::Framer framer_;
    std::size_t ulpdu_;
    bool busy_ = false;
    Message message_;
    ddp::Header header_;
    Cursor payload_;
    std::uint64_t progress_ = 0;
    std::array<std::uint32_t, ddp::queues> next_msn_;
};

class Stream {
  public:
    struct Settings {
        mpa::Framing in{};
        mpa::Framing out{};
        std::size_t ulpdu = mpa::ulpdu_for_segment(1448, false);
        Receiver::Settings receiver{};
        bool watched = false;  ///< see mpa::Deframer
        /// MPA's responder: it stays silent until the first frame has come.
        bool speaks_second = false;
    };
    /// Tags and pool are the Nic's. They, and the upcalls, outlive the stream.
    Stream(const Settings& settings, TagTable& tags, StagingPool& pool, Upcalls& upcalls);

    // Receiving. See Deframer.

    std::size_t feed(std::span<const std::byte> bytes) { return deframer_.feed(bytes); }
    std::size_t direct(std::span<iovec> out) { return deframer_.direct(out); }
    void direct_filled(std::size_t n) { deframer_.direct_filled(n); }
    /// A message waits for a receive to be posted: read no more of the socket, and feed again then.
    bool waits_for_receive() const { return deframer_.waiting(); }
    /// Where the peer may end the stream without having lost something.
    bool at_boundary() const { return deframer_.at_boundary(); }
    std::uint64_t frames_received() const { return deframer_.frames(); }

    // Sending.

    Outbox& outbox() { return outbox_; }
    /// Moves on whatever is under way: the message begun, then answers to the peer. True if a
    /// message may be begun now.
    bool pump();
    /// Starts a message; only after pump() said so. It is added by the next pump().
    void begin(const Message& message);
    /// The same for a Read or an atomic. False if ORD of them are under way: then nothing is done.
    bool begin_request(const Message& message, const Outstanding& what);
    /// Where in the outbox's stream the last message begun ends, once it is all there.
    std::optional<std::uint64_t> message_end() const { return message_end_; }

    /// Ends the stream: what is in the outbox still leaves, then this, then nothing. The first time
    /// counts. To be called from Upcalls::failed(), and for errors of this side.
    void terminate(const Terminate& why);
    bool terminated() const { return last_words_.has_value() || said_last_words_; }
    /// The Terminate, if there was one to be sent, is in the outbox.
    bool said_last_words() const { return said_last_words_; }

    /// Whether the peer can be asked anything: it serves Reads, and we may speak.
    bool may_ask() const { return may_speak() && receiver_.outstanding().capacity() > 0; }

    /// The peer waits for an answer, or last words are to be said.
    bool wants_to_speak() const {
        return sending_ != Sending::nothing || last_words_ || !receiver_.inbound().empty();
    }

    const FixedQueue<Inbound>& inbound() { return receiver_.inbound(); }
    const FixedQueue<Outstanding>& outstanding() { return receiver_.outstanding(); }
    void set_ulpdu(std::size_t ulpdu) { sender_.set_ulpdu(ulpdu); }

  private:
    enum class Sending : std::uint8_t { nothing, message, answer, last_words };

    bool may_speak() const;
    bool pump_current();
    void abandon();
    void begin_answer();
    void answer_failed();

    bool speaks_second_;
    Receiver receiver_;
    mpa::Deframer deframer_;
    Sender sender_;
    Outbox outbox_;
    Sending sending_ = Sending::nothing;
    Place answer_place_;
    std::optional<std::uint64_t> message_end_;
    std::optional<Terminate> last_words_;
    bool said_last_words_ = false;
    bool may_answer_ = true;  ///< until one could not be answered
};

}  // namespace railyard::iwarp
