#pragma once
/// Matching by the adapter, in virtual time: one port a Nic, for all peers, without connections.
/// Its parts:
///
///     tagged_port.cpp   the rank's calls, and completions
///     tagged_path.cpp   the way of a message, in events: no call of a rank is needed for it
///
/// A message up to TaggedRules::eager_limit is sent at once (`tagged`), and waits in a buffer of
/// the system's if nobody expects it. Larger and synchronous ones send their envelope only, and the
/// data when they have a receive, straight into its buffer:
///
///     send -tagged-> arrive, judge -match-> judged -place-> placed -acknowledgment-> sent
///     send -tagged_request-> arrive, judge -match-> judged, grant -tagged_pull-> pulled
///          -tagged_data-> land -place-> placed -acknowledgment-> sent
///
/// Who matches whom is decided in judge() and receive(), in the order in which messages come and
/// receives are posted; Wire::match() says when that takes effect, in the same order. Hence nothing
/// overtakes a match that is still being worked on. A posted receive that finds nothing unexpected
/// to pass over is no work for the adapter.
///
/// A send completes when all of it is at the target: in the receive's buffer, or, of an eager one,
/// in the system's. Being cut to the buffer is the receiver's affair; the send is ok. One that is
/// not eager can be taken back until it is matched: the target is asked, and answers if it was so.
///
/// When a Nic goes, what it still had to receive is told to the senders as remote_closed. Eager
/// messages that have left arrive all the same; of others, the receive that matches completes with
/// remote_closed, as its data are gone.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "interconnects/virtual/common/network.hpp"
#include "interconnects/virtual/common/queues.hpp"
#include "interconnects/virtual/common/wire.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/tagged_port.hpp"

namespace railyard::virtual_time {

class TaggedPort;

/// A message of a tagged port, from send() until both sides are done with it. Events hold it by
/// shared pointer.
struct TaggedMessage {
    // The sender's part.
    std::shared_ptr<TaggedPort> from;
    std::uint64_t id = 0;
    fabric::TaggedPeer to = 0;  ///< as the sender numbers it
    End target;
    fabric::MatchBits bits = 0;
    Bytes size;
    bool eager = false;               ///< comes with its data; else these wait for the match
    std::vector<std::byte> carried;   ///< of an eager one: the buffer may be free before they land
    std::span<const std::byte> kept;  ///< of any other: the user's memory, while `from` is open
    std::uint64_t number = 0;         ///< Transfer::message of what carries the data
    bool answered = false;            ///< the sender is being told
    bool told = false;                ///< the sender has been told
    bool given_up = false;            ///< the network lost it, and both sides have been told
    bool withdrawn = false;           ///< taken back by the sender before it was matched

    // The target's part.
    fabric::TaggedPeer source = 0;  ///< as the target numbers it
    fabric::TaggedReceive receive;  ///< what it was matched with
    bool matched = false;           ///< a receive is taken
    bool granted = false;           ///< and the adapter has got so far
    bool announced = false;         ///< found unexpected, for probes to see
    bool placed = false;            ///< an eager one's data are at the target

    /// What the receive has room for.
    Bytes fitting() const { return std::min(size, Bytes(receive.buffer.size())); }
};

/// Posted receives and the unexpected queue, both in order of coming, so that messages of one
/// sender match in order of sending.
class TaggedMatching {
  public:
    using Message = std::shared_ptr<TaggedMessage>;

    /// Gives the message the oldest receive that selects it, or keeps it as unexpected. Returns how
    /// many receives were passed over.
    std::size_t arrive(const Message& message);

    struct Found {
        Message message;         ///< null: there was none, and the receive waits
        std::size_t passed = 0;  ///< unexpected messages that were passed over
    };
    /// Gives the receive the oldest unexpected message that it selects, or lets it wait.
    Found post(const fabric::TaggedReceive& receive);

    /// The unexpected message that such a receive would get; null if there is none.
    Message find(const fabric::TaggedReceive& receive) const;
    /// Forgets a message, if it is among the unexpected ones.
    void withdraw(const Message& message) { std::erase(unexpected_, message); }
    /// Takes out the oldest waiting receive of that id.
    std::optional<fabric::TaggedReceive> withdraw(std::uint64_t id);
    /// Forgets all receives, and hands over the unexpected messages.
    std::deque<Message> clear();

  private:
    std::deque<fabric::TaggedReceive> posted_;
    std::deque<Message> unexpected_;
};

/// The buffers that a tagged port has registered by itself (MX-2), least recently used out first.
/// Host addresses are compared for equality only: what is found follows from the program's own
/// reuse of its buffers, not from where they lie.
class TaggedRegistrations {
  public:
    explicit TaggedRegistrations(std::size_t capacity) : capacity_(capacity) {}

    /// What using the buffer takes.
    struct Work {
        std::optional<Bytes> registered;    ///< the buffer, if it was not registered
        std::optional<Bytes> deregistered;  ///< what had to make room; without a cache the same
    };
    Work use(std::span<const std::byte> buffer);

  private:
    std::size_t capacity_;
    std::vector<std::span<const std::byte>> kept_;  ///< most recently used last
};

class TaggedPort final : public NicTaggedPort, public std::enable_shared_from_this<TaggedPort> {
  public:
    explicit TaggedPort(std::shared_ptr<NicState> nic);
    void close() override;

    void keep_registrations(bool keep) override;
    Bytes taken_at_once() const override { return rules_.eager_limit; }
    fabric::TaggedPeer peer(const fabric::Address& address) override;
    Status send(const fabric::TaggedSend& request) override;
    Status receive(const fabric::TaggedReceive& request) override;
    bool cancel(std::uint64_t receive_id) override;
    void cancel_send(std::uint64_t send_id) override;
    std::optional<fabric::TaggedCompletion> probe(fabric::TaggedPeer from, fabric::MatchBits bits,
                                                  fabric::MatchBits mask) override;
    std::size_t poll(std::span<fabric::TaggedCompletion> out) override;

    using Message = TaggedMatching::Message;
    /// For PeerLossListeners: one of the two nodes has given the other up.
    static void give_up(const Message& message, fabric::NodeId from, fabric::NodeId to);

  private:
    struct Peer {
        End end;
        std::weak_ptr<TaggedPort> port;
    };
    struct Entry {
        fabric::TaggedCompletion completion{};
        Bytes placed{};                   ///< so much ...
        const std::byte* into = nullptr;  ///< ... there; null: scratch memory
        // By the rank's processor, when it takes the completion:
        bool copied = false;
        bool inlined = false;
        bool unexpected = false;  ///< after all of it had come
    };

    // tagged_port.cpp
    fabric::TaggedPeer number_of(const NicName& name);
    void complete(Entry entry);
    void show_next();
    bool large(Bytes size) const { return size > rules_.eager_limit; }
    // Eager messages that the ranks' processors handle: others are moved by the adapters alone.
    bool inlined(Bytes size) const { return size <= rules_.inline_limit; }
    bool copied(Bytes size) const { return !inlined(size) && size >= rules_.copied_from; }

    // tagged_path.cpp: at the sender.
    void start(const Message& message);
    void pulled(const std::shared_ptr<TaggedPort>& target, const Message& message);
    void sent(const TaggedMessage& message, Status status);

    // tagged_path.cpp: at the target.
    static void arrive(const Message& message);
    static void withdraw(const Message& message);
    void judge(const Message& message);
    void judged(const Message& message, bool taken);
    void grant(const Message& message);
    void pull(const Message& message);
    void land(const Message& message);
    void place(const Message& message);
    void placed(const Message& message);
    void deliver(const TaggedMessage& message);
    void complete_receive(const TaggedMessage& message, Status status);
    Entry received(const TaggedMessage& message, Status status) const;
    static void answer(const Message& message, Status status);
    Duration registering(std::span<const std::byte> buffer);

    Network& network() const { return *nic_->network; }
    Wire& wire() const { return *network().wire; }
    End end() const { return nic_->end(); }
    Transfer transfer(Kind kind, const End& from, const End& to) const;

    std::shared_ptr<NicState> nic_;
    const TaggedRules rules_;
    bool open_ = true;
    std::vector<Peer> peers_;
    std::map<NicName, fabric::TaggedPeer> numbers_;
    std::vector<Message> kept_sends_;  ///< not eager, and not answered yet
    TaggedMatching matching_;
    TaggedRegistrations registrations_;
    Time registers_until_;  ///< one buffer after the other
    bool probing_ = false;  ///< a probe found nothing: say so when that changes
    Ring<Entry> completions_;
    std::uint64_t shown_ = 0;  ///< completions before this one are there for the rank to find
};

}  // namespace railyard::virtual_time
