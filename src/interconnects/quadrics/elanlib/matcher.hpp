#pragma once
/// The half of Tports that runs on the thread processor: it takes envelopes from the network and
/// receives from its process, and brings them together, in order and without the host (LB-4). Its
/// steps are events of the engine, so it needs no fiber, and keeps no run from its end.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "interconnects/quadrics/elan/machine.hpp"
#include "interconnects/quadrics/elanlib/envelope.hpp"

namespace railyard::elanlib {

/// A receive as its process has written it into Elan memory.
struct Posted {
    Selector selector;
    Address buffer = elan::null_address;
    std::uint32_t size = 0;
    Address event = elan::null_address;
    Address block = elan::null_address;  ///< of the event: takes what was found
    bool cancelled = false;
};

class Matcher final : private elan::Mover {
  public:
    /// With an input queue of that number. Its events keep it, for as long as the context is there.
    static std::shared_ptr<Matcher> start(elan::Adapter& adapter, elan::Context& context,
                                          std::uint32_t queue);
    Matcher(elan::Adapter& adapter, elan::Context& context, std::uint32_t queue)
        : adapter_(adapter), context_(context), queue_(queue) {}

    /// Is to be set for each receive that was posted: tells the thread.
    Address posted_event() const { return posted_event_; }
    void post(const Posted& receive) { written_.push_back(receive); }
    /// Takes back the receive with that event; false if it has been matched.
    bool cancel(Address event);
    /// The first message that waits and that such a receive would get, if it were posted now.
    const Envelope* find(const Selector& selector) const;
    /// Told in an event when a message waits that nobody expected.
    std::function<void()> on_unexpected;

    /// What waits here for data of that node never gets them.
    void give_up(elite::NodeId node);
    /// Takes nothing any more; senders who wait for a match are told.
    void close();
    /// Tells the sender that nobody gets the message.
    void refuse(const Envelope& envelope, Status status);

    std::size_t unexpected() const { return unexpected_.size(); }
    std::uint64_t buffered() const { return buffered_; }

  private:
    struct Message {
        Envelope envelope;
        std::vector<std::byte> packet;        ///< as it stood in the queue's slot
        Address buffer = elan::null_address;  ///< of the system's, where its data wait
        bool given_up = false;                ///< its sender, and with it what is still there
        std::span<const std::byte> data() const {
            return std::span(packet).subspan(sizeof(Envelope));
        }
    };
    /// The messages of one sender.
    struct Stream {
        std::uint64_t turn = 0;
        std::map<std::uint64_t, Message> early;  ///< came before their turn
    };
    /// What the thread is at.
    struct Work {
        std::optional<Posted> receive;
        std::optional<Message> message;
        bool withdrawn = false;
    };

    void wake();
    void go_on();
    void told_of_receive();
    bool next(Message& message);
    void arrived(Message message);
    void take_receive();
    void withdraw(const Envelope& asks);
    void compute(Duration work);
    void computed();
    void keep();
    void give();
    void fetch(const Posted& receive, const Envelope& envelope, std::uint32_t size);
    void set_event(Vpid vpid, Address event, Status status);
    void write(Address to, std::span<const std::byte> data);
    void written(elan::Verdict verdict);
    void checked(const elan::MoveHandle& move, elan::Verdict verdict) override;
    void issued(const elan::MoveHandle&) override { written(elan::Verdict::taken); }
    void moved(const elan::MoveHandle&, elan::Verdict) override {}
    /// What the process has posted that the thread has not looked at, in order.
    template <class Do>
    void for_each_new(Do what) const;
    template <class Do>
    void for_each_waiting(Do what);

    elan::Adapter& adapter_;
    elan::Context& context_;
    const std::uint32_t queue_;
    Address posted_event_ = elan::null_address;
    std::deque<Posted> written_;  ///< the thread has not been told of them
    std::deque<Posted> fresh_;    ///< it has, but has not looked at them
    std::deque<Posted> posted_;
    std::deque<Message> unexpected_;
    std::deque<Message> ready_;       ///< whose turn it is
    std::map<Vpid, Stream> streams_;  ///< by sender
    Work work_;
    bool awake_ = false;
    bool busy_ = false;  ///< computes, or waits for memory
    bool closed_ = false;
    std::uint64_t buffered_ = 0;
};

}  // namespace railyard::elanlib
