#pragma once
/// Tports: tagged messages between the processes of a job. A send or a receive is started, and
/// waited for by a second call (TP-1). Matching is the adapter's work.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "interconnects/quadrics/elan3/process.hpp"

namespace railyard::elanlib {

using elan3::Address;
using elan3::Vpid;
using Tag = std::uint32_t;

/// What stands on a message of a tagged port: tag, sender and size (TP-2), and where its data are.
/// 32 bytes: with fewer than 288 bytes of data, it fits a packet (TP-5).
struct Envelope {
    enum class Data : std::uint32_t {
        with_it,      ///< they follow the envelope
        at_sender,    ///< they leave when the receiver asks for them
        on_the_node,  ///< in memory that both share
        lost,         ///< the message with this number never comes: others need not wait for it
    };
    Tag tag = 0;
    Vpid from = 0;
    std::uint32_t size = 0;
    Data data = Data::with_it;
    Address address = elan::null_address;  ///< of the data at the sender
    Address event = elan::null_address;    ///< the sender's, set when they have been taken
    std::uint64_t number = 0;  ///< among those from this sender to this receiver: keeps their order
};
static_assert(sizeof(Envelope) == 32);

/// Messages of fewer bytes travel with their envelope: what a packet has room for beside it.
constexpr std::uint32_t inline_below = elan::packet_data - sizeof(Envelope);
static_assert(inline_below == 288);

/// What a receive asks for: a sender, a tag, both or neither.
struct Selector {
    std::optional<Vpid> from;
    Tag tag = 0;
    Tag mask = ~Tag{0};  ///< bits of the tag that count
    bool accepts(const Envelope& envelope) const {
        return (!from || *from == envelope.from) && ((tag ^ envelope.tag) & mask) == 0;
    }
};

/// A receive as its process has written it into Elan memory.
struct Posted {
    Selector selector;
    Address buffer = elan::null_address;
    std::uint32_t size = 0;
    elan3::Event done;
};

/// What the process finds in the block of a receive's event.
struct Found {
    std::uint32_t seen = 1;
    std::uint32_t unused = 0;
    Envelope envelope;
};

/// The code of Tports that runs on the thread processor: it takes envelopes from the network and
/// receives from its process, and brings them together, in order and without the host (LB-4).
class Matcher {
  public:
    Matcher(std::uint32_t queue, Address event) : queue_(queue), event_(event) {}

    /// Until its context closes.
    void run(elan::Thread& thread);
    /// The process posts a receive; the thread is to be told by its event.
    void post(const Posted& receive) { fresh_.push_back(receive); }
    /// Takes back a receive that has not been matched.
    bool cancel(Address event);

    std::size_t unexpected() const { return unexpected_.size(); }
    std::uint64_t buffered() const { return buffered_; }

  private:
    struct Message {
        Envelope envelope;
        std::vector<std::byte> data;          ///< while they are in the queue's slot
        Address buffer = elan::null_address;  ///< of the system's, where they wait
    };
    void arrived(elan::Thread& thread, Message message);
    void take_receive(elan::Thread& thread, const Posted& receive);
    void keep(elan::Thread& thread, Message message);
    void give(elan::Thread& thread, const Posted& receive, const Message& message);
    std::optional<Message> next(elan::Thread& thread);

    const std::uint32_t queue_;
    const Address event_;
    std::deque<Posted> fresh_;  ///< written by the process, not yet seen by the thread
    std::deque<Posted> posted_;
    std::deque<Message> unexpected_;
    std::map<Vpid, std::uint64_t> expected_;                  ///< the next number, by sender
    std::map<Vpid, std::map<std::uint64_t, Message>> early_;  ///< came before their turn
    std::deque<Message> ready_;
    std::uint64_t buffered_ = 0;
};

enum class Delivery : std::uint8_t {
    asynchronous,  ///< to the receiver's buffer, or to the system's if no receive is posted (TP-4)
    synchronous,   ///< no data leave before the receiver has asked for them (TP-3)
};

/// What a wait tells.
struct Outcome {
    Status status;
    Envelope envelope;  ///< of a receive: what came; its size may exceed the buffer
};

class Tport {
  public:
    using Request = std::uint64_t;

    /// Every process of the job makes one, with the same number, before any sends.
    explicit Tport(elan3::Process& process, std::uint32_t number = 0);

    /// The memory is the port's until the wait is over.
    Request start_send(Vpid to, Tag tag, Address from, std::uint32_t size,
                       Delivery delivery = Delivery::asynchronous);
    Request start_receive(const Selector& selector, Address to, std::uint32_t size);
    Outcome wait(Request request, elan3::Wait how = elan3::Wait::poll);
    bool test(Request request);
    /// False if it has been matched: then it is to be waited for.
    bool cancel(Request receive);

    Status send(Vpid to, Tag tag, Address from, std::uint32_t size,
                Delivery delivery = Delivery::asynchronous) {
        return wait(start_send(to, tag, from, size, delivery)).status;
    }
    Outcome receive(const Selector& selector, Address to, std::uint32_t size) {
        return wait(start_receive(selector, to, size));
    }

    const Matcher& matcher() const { return *matcher_; }

  private:
    struct Pending {
        bool receive = false;
        elan3::Event done;
        Address buffer = elan::null_address;  ///< a receive's, or the port's own for a send
        std::uint32_t size = 0;
        bool fired = false;        ///< a test has taken the event
        Vpid peer = 0;             ///< of a send
        std::uint64_t number = 0;  ///< of a send, among those to that peer
        bool over = false;         ///< there is nothing to wait for
        Status status;             ///< then
    };
    bool on_this_node(Vpid peer) const;
    elan3::Event take_event();
    /// A copy for a peer on this node, which may take it when it likes.
    void leave_copy(Envelope& envelope, Pending& pending);
    Outcome finish_receive(const Pending& pending, Status status);
    Status copy_from_peer(const Pending& pending, const Envelope& envelope);
    /// A message is lost: those behind it are not to wait for it. False if that is lost, too.
    bool tell_of_gap(const Pending& lost);
    void send_envelope(Vpid to, const Envelope& envelope, Address data, Pending& pending);

    elan3::Process& process_;
    const std::uint32_t number_;
    const elan3::Event work_;  ///< wakes the thread
    std::shared_ptr<Matcher> matcher_;
    std::map<Request, Pending> pending_;
    Request next_request_ = 1;
    std::map<Vpid, std::uint64_t> sent_;  ///< messages, by receiver
    /// A message to them was lost, and they could not be told: what came behind it would wait for
    /// ever.
    std::set<Vpid> out_of_reach_;
    std::vector<elan3::Event> free_events_;
    /// System buffers with messages for peers on this node, until their events fire.
    struct Copy {
        Address address = elan::null_address;
        Address envelope = elan::null_address;
        elan3::Event taken;
    };
    std::deque<Copy> copies_;
};

}  // namespace railyard::elanlib
