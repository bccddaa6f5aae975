#pragma once
/// The code of Tports that runs on the thread processor: it takes envelopes from the network and
/// receives from its process, and brings them together, in order and without the host (LB-4).

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
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

}  // namespace railyard::elanlib
