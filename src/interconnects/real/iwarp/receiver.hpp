#pragma once
/// DDP's and RDMAP's receiving side of one stream: checks each segment, says where its payload
/// goes, and hands complete messages to the queue pair. The first thing that is wrong ends the
/// stream with a Terminate, before any byte of the segment is placed.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "interconnects/real/iwarp/framing.hpp"
#include "interconnects/real/iwarp/headers.hpp"
#include "interconnects/real/iwarp/tags.hpp"
#include "railyard/base/status.hpp"

namespace railyard::iwarp {

/// First in, first out; allocates once.
template <class T>
class FixedQueue {
  public:
    explicit FixedQueue(std::size_t capacity) : items_(capacity) {}

    bool empty() const { return size_ == 0; }
    bool full() const { return size_ == items_.size(); }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return items_.size(); }
    T& front() { return items_[first_]; }
    const T& front() const { return items_[first_]; }
    void push(const T& item) {
        items_[(first_ + size_) % items_.size()] = item;
        ++size_;
    }
    void pop() {
        first_ = (first_ + 1) % items_.size();
        --size_;
    }

  private:
    std::vector<T> items_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

/// Reads and atomics under way: those we asked for (at most ORD), in whose order the answers come,
/// and those the peer asked for (at most IRD), in whose order we answer.
/// A Read or an atomic of ours whose answer has not come yet.
struct Outstanding {
    bool atomic = false;
    std::uint32_t id = 0;  ///< atomic: what the response must name
    // Read: what the request named as sink, and what that stands for. The tag means something to
    // this side only: an opaque number that no other operation may use.
    std::uint32_t sink_stag = 0;
    std::uint64_t sink_to = 0;
    std::uint32_t length = 0;
    std::span<const Place> sink{};  ///< the list is the asker's until the answer has come
    std::uint64_t cookie = 0;       ///< the asker's
};

/// A peer's Read or atomic, checked, and waiting for its answer.
struct Inbound {
    bool atomic = false;
    rdmap::ReadRequest read{};
    rdmap::AtomicRequest operation{};
    std::byte* data = nullptr;  ///< what is read or changed; null if nothing is
    Lease lease{};
    std::array<std::byte, ddp::untagged_size> ddp{};  ///< as it came, should it go wrong later
    std::uint16_t segment_length = 0;
};

/// Memory for one message. The list is its owner's, until the message is in it.
struct ReceiveBuffer {
    std::span<const Place> places{};
    std::uint64_t size = 0;  ///< the sum of the places
};

/// A message that consumed a receive.
struct Arrival {
    std::uint64_t length = 0;  ///< immediate data alone: of the Write that came before them
    bool solicited = false;
    bool has_immediate = false;
    std::uint32_t immediate = 0;
    void* invalidated = nullptr;  ///< owner of the registration that the message ended
};

/// What a receiver tells its queue pair, which must not destroy it meanwhile.
class Upcalls {
  public:
    virtual ~Upcalls() = default;

    /// The receive that the next message goes to; null if none is posted. It stays claimed until
    /// received() or receive_failed(), or until the stream fails.
    virtual const ReceiveBuffer* claim_receive() = 0;
    virtual void received(const Arrival& arrival) = 0;
    virtual void receive_failed(Status why) = 0;
    /// A Write is in place: somebody may be watching memory.
    virtual void written() = 0;
    /// The peer wants to be answered: see Receiver::inbound().
    virtual void requested() = 0;
    /// The oldest of Receiver::outstanding() is answered; it is removed afterwards. `original` is
    /// an atomic's.
    virtual void answered(const Outstanding& request, std::uint64_t original) = 0;

    // The end of the stream; one of these, once. Nothing more is received.

    /// This side found something wrong. To be sent as the last message.
    virtual void failed(const Terminate& found) = 0;
    virtual void terminated_by_peer(const Terminate& found) = 0;
    /// What the peer sent as its last message is none.
    virtual void lost() = 0;
};

/// How much of a region a Write has covered. Its segments come one behind the other; of those that
/// do not, what lies among others may have been covered before, and does not count.
class Coverage {
  public:
    void add(std::uint32_t stag, std::uint64_t to, std::uint64_t size) {
        const std::uint64_t end = to + size;
        if (bytes_ == 0) {
            stag_ = stag;
            low_ = high_ = to;
        } else if (stag != stag_) {
            return;
        }
        if (to < low_) bytes_ += std::min(end, low_) - to;
        if (end > high_) bytes_ += end - std::max(to, high_);
        low_ = std::min(low_, to);
        high_ = std::max(high_, end);
    }
    /// In bytes. The next Write begins anew.
    std::uint64_t take() { return std::exchange(bytes_, 0); }

  private:
    std::uint32_t stag_ = 0;
    std::uint64_t low_ = 0;
    std::uint64_t high_ = 0;
    std::uint64_t bytes_ = 0;
};

class Receiver final : public mpa::Consumer {
  public:
    struct Settings {
        Asker asker{};
        std::size_t ird = 16;           ///< Reads and atomics that the peer may have under way
        std::size_t ord = 16;           ///< and we
        bool wait_for_receives = true;  ///< a message without a receive waits, instead of failing
        bool extended = true;           ///< RFC 7306's operations are admitted
        bool immediate_with_send = false;  ///< the peer is one of our own: see rdmap::Immediate
        std::uint32_t first_msn = ddp::first_msn;  ///< another one only to test how they wrap
    };
    /// The tags are the Nic's; both outlive it.
    Receiver(const Settings& settings, TagTable& tags, Upcalls& upcalls);

    /// What the peer asked for, oldest first. Answered and popped by the Responder.
    FixedQueue<Inbound>& inbound() { return inbound_; }
    const FixedQueue<Inbound>& inbound() const { return inbound_; }
    /// What this side asked for. Pushed when the request is sent.
    FixedQueue<Outstanding>& outstanding() { return outstanding_; }
    const FixedQueue<Outstanding>& outstanding() const { return outstanding_; }

    mpa::Verdict begin(std::span<const std::byte> head, std::size_t length,
                       Cursor& payload) override;
    mpa::Verdict end() override;
    void place_lost() override;
    void broken(mpa::Fault fault) override;

  private:
    mpa::Verdict begin_write(Cursor& payload);
    mpa::Verdict begin_read_response(Cursor& payload);
    mpa::Verdict begin_untagged(const rdmap::Shape& shape, Cursor& payload);
    mpa::Verdict begin_control(const rdmap::Shape& shape, Cursor& payload);
    mpa::Verdict begin_send(const rdmap::Shape& shape, Cursor& payload);
    mpa::Verdict end_tagged();
    mpa::Verdict deliver(std::uint64_t length);
    mpa::Verdict deliver_to_receive(std::uint64_t length);
    mpa::Verdict admit_read();
    mpa::Verdict admit_atomic();
    mpa::Verdict take_atomic_response();
    mpa::Verdict take_terminate(std::size_t length);

    Inbound inbound_from_segment() const;
    mpa::Verdict fail(Terminate found);
    mpa::Verdict fail_read(rdmap::ProtectionError error, const rdmap::ReadRequest& request);

    Settings settings_;
    TagTable& tags_;
    Upcalls& upcalls_;
    FixedQueue<Inbound> inbound_;
    FixedQueue<Outstanding> outstanding_;

    // The segment being taken.
    ddp::Header header_;
    rdmap::Opcode opcode_{};
    std::size_t payload_size_ = 0;
    std::size_t segment_length_ = 0;
    std::size_t raw_size_ = 0;  ///< of its header, 0 if it had none
    std::array<std::byte, ddp::longest_header> raw_;
    Place place_;

    /// A message of which segments are still to come; there is at most one of each class.
    struct Unfinished {
        bool open = false;
        rdmap::Opcode opcode{};
        std::uint64_t placed = 0;
    };
    Unfinished tagged_;
    Coverage coverage_;  ///< of the Write under way
    Unfinished untagged_;
    const ReceiveBuffer* receive_ = nullptr;
    std::optional<std::uint32_t> immediate_of_send_;  ///< the Send that it belongs to comes next
    std::uint64_t last_write_ = 0;                    ///< bytes of the last Write
    std::array<std::uint32_t, ddp::queues> next_msn_;
    std::array<std::byte, rdmap::longest_control> control_;
};

}  // namespace railyard::iwarp
