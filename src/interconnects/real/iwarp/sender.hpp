#pragma once
/// DDP's and RDMAP's sending side of one stream: cuts a message into segments and gives them to
/// MPA. Messages leave one after the other, whole.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "interconnects/real/iwarp/framing.hpp"
#include "interconnects/real/iwarp/headers.hpp"
#include "interconnects/real/iwarp/outbox.hpp"
#include "interconnects/real/iwarp/place.hpp"
#include "interconnects/real/iwarp/terminate.hpp"

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

}  // namespace railyard::iwarp
