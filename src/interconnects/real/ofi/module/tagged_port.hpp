#pragma once
/// Matching by the provider (RDM endpoints with tags). Its parts:
///
///     tagged_port.cpp      the rank's calls, and completions
///     tagged_inbound.cpp   what comes: messages that have matched, and those that nobody expects
///     tagged_outbound.cpp  what goes, and what peers say of it
///     tagged_peers.cpp     peers: how they get to know each other, and who is gone
///
/// A tagged message begins with an Envelope. Up to `longest_eager` bytes of data are in it. Larger
/// ones wait at the sender until the Envelope has matched; the receiver then says where they go
/// (`tagged_go`), and the sender writes them there with one-sided operations. What libfabric has no
/// word for is said in messages without a tag (wire.hpp): that a synchronous send has matched, and
/// that a send is asked back.
///
/// Receives go to the provider, which matches them with what comes later. Providers differ in what
/// they do with messages that nobody expects: `net` keeps a few and then stops to read. So these
/// are taken out (FI_PEEK) as soon as they are seen, in their order, and wait here; a receive looks
/// there first. All that waits here is older than what the provider has.
///
/// Where tags have less than 64 bits the provider is not asked to match: its receives take whatever
/// comes, and we match. So it is with `net` (63 bits), which moreover passes over receives and does
/// not keep the order of messages that came before them (libfabric 1.17).

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "interconnects/real/ofi/module/buffers.hpp"
#include "interconnects/real/ofi/module/names.hpp"
#include "interconnects/real/ofi/module/port.hpp"
#include "interconnects/real/ofi/module/sockets.hpp"
#include "interconnects/real/ofi/module/wire.hpp"
#include "railyard/base/time.hpp"
#include "railyard/tagged_port.hpp"

namespace railyard::ofi {

class Nic;

/// At the beginning of a tagged message.
struct Envelope {
    std::uint32_t from = 0;  ///< what the receiver calls the sender
    bool eager = false;      ///< data follow; else they wait for the match
    bool synchronous = false;
    std::uint16_t unused = 0;
    std::uint64_t number = 0;  ///< the sender's, of the message
    std::uint64_t length = 0;  ///< of the whole message
    std::uint64_t bits = 0;
};

class TaggedPort final : public fabric::TaggedPort {
  public:
    explicit TaggedPort(Nic& nic);
    ~TaggedPort() override;

    Bytes taken_at_once() const override { return Bytes(longest_eager); }
    /// any_peer for an address that nobody has here: the loader throws.
    fabric::TaggedPeer peer(const fabric::Address& address) override;
    Status send(const fabric::TaggedSend& request) override;
    Status receive(const fabric::TaggedReceive& request) override;
    bool cancel(std::uint64_t receive_id) override;
    void cancel_send(std::uint64_t send_id) override;
    std::optional<fabric::TaggedCompletion> probe(fabric::TaggedPeer from, fabric::MatchBits bits,
                                                  fabric::MatchBits mask) override;
    std::size_t poll(std::span<fabric::TaggedCompletion> out) override;

    // For the Nic.

    void progress();
    /// Takes out what nobody expects.
    void drain();
    void tick(Time now);
    Time next_timer() const { return is_busy() ? next_sign_ : Time::never(); }
    /// Whether something has to happen at a certain time.
    bool is_busy() const { return !sends_.empty() || !pulled_.empty() || is_stalled(); }
    /// Whether there was no room for something: nobody tells when there is.
    bool is_stalled() const { return stalled_peers_ > 0 || !unposted_.empty(); }
    void completed(Operation& operation, std::size_t length, std::uint64_t tag);
    void failed(Operation& operation, int error);
    /// A message without a tag that is about those that have one.
    void heard(const Header& header, std::span<const std::byte> data);
    /// Says so to all peers, and gives them a moment to hear it.
    void say_goodbye();
    /// The endpoint is closed: nothing comes any more.
    void close();

  private:
    static constexpr std::size_t longest_eager = 8 << 10;
    static constexpr std::size_t longest_tagged = sizeof(Envelope) + longest_eager;

    struct Sending {
        std::uint64_t id = 0;
        std::uint64_t number = 0;
        fabric::TaggedPeer to = 0;
        fabric::MatchBits bits = 0;
        std::span<const std::byte> data;
        Operation* message = nullptr;  ///< until it has been posted
        bool eager = false;
        bool synchronous = false;
        bool withdrawing = false;
        bool lost = false;  ///< a write has failed
        Place target{};     ///< where its data go, once it has matched
        std::uint64_t token = 0;
        std::uint64_t issued = 0;
        std::uint32_t writes = 0;  ///< under way
        Owned<fid_mr> registered;
    };
    struct Receiving {
        fabric::TaggedReceive request;
        Operation* buffer = nullptr;  ///< while the provider has it
        Envelope matched{};
        std::uint64_t token = 0;
        Owned<fid_mr> registered;
        bool cancelled = false;
        std::list<Receiving>::iterator self{};
    };
    using Receives = std::list<Receiving>;
    struct Unexpected {
        Operation* buffer;
        Envelope envelope;
    };
    struct Peer {
        NicName name;
        fi_addr_t address = FI_ADDR_UNSPEC;
        ListenerTest listener;
        std::uint32_t our_number = 0;  ///< what it calls us
        bool asked = false;
        /// It has answered. When two greet each other at once, some providers make one connection
        /// of two and lose what was on its way; so nothing else is said before.
        bool met = false;
        bool gone = false;
        bool answered_goodbye = false;
        bool stalled = false;
        Time stalled_since = Time::never();
        std::uint32_t waited_for = 0;    ///< sends and receives that need something of it
        std::deque<Operation*> words;    ///< that had no room
        std::deque<Sending*> waiting{};  ///< likewise, or we have not met
        std::deque<Sending*> writers{};  ///< with data that are to be written
        std::uint64_t newest = 0;        ///< of its messages that have come
    };

    // tagged_peers.cpp
    fabric::TaggedPeer number_of(const NicName& name);
    Peer* peer_at(std::uint64_t number);
    void greet(Peer& peer);
    void greeted(const Header& header, std::span<const std::byte> data);
    void say(Peer& peer, Kind kind, std::uint64_t number, std::span<const std::byte> data = {},
             std::uint64_t length = 0);
    bool try_say(Peer& peer, Operation& word);
    void set_stalled(Peer& peer);
    bool is_self(const Peer& peer) const;
    void lose(Peer& peer, Code why);
    bool took(Peer& peer, long error);

    // tagged_outbound.cpp
    void flush(Peer& peer);
    bool post(Peer& peer, Sending& sending);
    void went(Operation& operation);
    void go(Peer& peer, const Header& header, std::span<const std::byte> data);
    void write_more(Sending& sending);
    bool write(Sending& sending, std::uint64_t length);
    void written(Operation& operation);
    void lost(Operation& operation);
    void finish_writing(Sending& sending);
    void end(Sending& sending, Code status, bool cancelled = false);
    Sending* sending_of(std::uint64_t number);

    // tagged_inbound.cpp
    bool post(Receiving& receiving);
    void post_more();
    void matched(Receives::iterator receiving, Operation& buffer, std::size_t length);
    void deliver(Receives::iterator receiving, Operation& buffer);
    void pull(Receives::iterator receiving);
    void finish(Receives::iterator receiving, Code status);
    bool look_for_more();
    void refused(Receives::iterator receiving, int error);
    Receives::iterator find_waiting(const Envelope& envelope);
    void post_takers();
    /// As the provider has it.
    std::uint64_t tag_of(fabric::MatchBits bits) const { return provider_matches_ ? bits : 0; }
    bool read_until(const std::function<bool()>& condition);
    void take_out(Operation& buffer, std::size_t length);
    void withdraw(Peer& peer, std::uint64_t number);
    std::deque<Unexpected>::iterator find_unexpected(const fabric::TaggedReceive& wanted);
    bool selects(const fabric::TaggedReceive& receive, const Envelope& envelope) const;
    bool read_envelope(const Operation& buffer, std::size_t length, Envelope& envelope);
    bool was_withdrawn(const Envelope& envelope);

    void complete(const fabric::TaggedCompletion& completion);

    Nic& nic_;
    Port& port_;  ///< the first: messages with tags use no other
    bool provider_matches_;
    std::uint32_t takers_ = 0;  ///< receives for whatever comes, where it does not
    std::vector<std::unique_ptr<Peer>> peers_;
    std::unordered_map<std::uint64_t, fabric::TaggedPeer> numbers_;  ///< by the Nic's id
    std::unordered_map<std::uint64_t, std::unique_ptr<Sending>> sends_;
    std::uint64_t last_send_ = 0;
    Receives receives_;
    std::deque<Receives::iterator> unposted_;                       ///< the provider had no room
    std::unordered_map<std::uint64_t, Receives::iterator> pulled_;  ///< data are on their way
    std::uint64_t last_token_ = 0;
    std::deque<Unexpected> unexpected_;
    struct Withdrawal {
        fabric::TaggedPeer by;
        std::uint64_t number;
    };
    std::vector<Withdrawal> withdrawals_;  ///< of what has not come yet
    std::vector<Withdrawal> asked_back_;   ///< while messages are being taken out
    std::deque<fabric::TaggedCompletion> completions_;
    enum class Peek : std::uint8_t { none, asked, found, nothing };
    Peek peek_ = Peek::none;
    std::uint64_t peeked_tag_ = 0;
    bool taking_ = false;
    bool draining_ = false;
    const Receiving* cancelling_ = nullptr;
    bool was_cancelled_ = false;
    std::size_t stalled_peers_ = 0;
    std::size_t under_way_ = 0;  ///< words
    Time next_sign_{};
};

}  // namespace railyard::ofi
