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
/// in the system's. Being cut to the buffer is the receiver's affair; the send is ok.
///
/// When a Nic goes, what it still had to receive is told to the senders as remote_closed. Eager
/// messages that have left arrive all the same; of others, the receive that matches completes with
/// remote_closed, as its data are gone.

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "interconnects/virtual/common/network.hpp"
#include "interconnects/virtual/common/queues.hpp"
#include "interconnects/virtual/common/tagged_matching.hpp"
#include "railyard/tagged_port.hpp"

namespace railyard::virtual_time {

class TaggedPort final : public fabric::TaggedPort,
                         public std::enable_shared_from_this<TaggedPort> {
  public:
    explicit TaggedPort(std::shared_ptr<NicState> nic);
    /// The Nic goes. Events may hold the port longer.
    void close();

    void keep_registrations(bool keep) override;
    Bytes taken_at_once() const override { return rules_.eager_limit; }
    fabric::TaggedPeer peer(const fabric::Address& address) override;
    Status send(const fabric::TaggedSend& request) override;
    Status receive(const fabric::TaggedReceive& request) override;
    bool cancel(std::uint64_t receive_id) override;
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
        fabric::TaggedCompletion completion;
        std::optional<Bytes> copied;  ///< by the rank's processor, when it takes the completion
        bool unexpected = false;      ///< ... after all of it had come
    };

    // tagged_port.cpp
    fabric::TaggedPeer number_of(const NicName& name);
    void complete(const fabric::TaggedCompletion& completion, std::optional<Bytes> copied = {},
                  bool unexpected = false);
    void show_next();
    bool large(Bytes size) const { return size > rules_.eager_limit; }

    // tagged_path.cpp: at the sender.
    void start(const Message& message);
    void pulled(const std::shared_ptr<TaggedPort>& target, const Message& message);
    void sent(const TaggedMessage& message, Status status);

    // tagged_path.cpp: at the target.
    static void arrive(const Message& message);
    void judge(const Message& message);
    void judged(const Message& message, bool taken);
    void grant(const Message& message);
    void pull(const Message& message);
    void land(const Message& message);
    void place(const Message& message);
    void placed(const Message& message);
    void deliver(const TaggedMessage& message);
    void complete_receive(const TaggedMessage& message, Status status);
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
    TaggedMatching matching_;
    TaggedRegistrations registrations_;
    Time registers_until_;  ///< one buffer after the other
    bool probing_ = false;  ///< a probe found nothing: say so when that changes
    Ring<Entry> completions_;
    std::uint64_t shown_ = 0;  ///< completions before this one are there for the rank to find
};

}  // namespace railyard::virtual_time
