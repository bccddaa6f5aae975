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

#include "interconnects/quadrics/elanlib/matcher.hpp"

namespace railyard::elanlib {

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
