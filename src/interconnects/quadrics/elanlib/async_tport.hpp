#pragma once
/// The process' half of Tports, without waiting: what it writes to the adapter for a send or a
/// receive, and what comes back by events. For processes that are fibers (Tport) and for software
/// that hears of the end of its requests (the fabric).

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/quadrics/elan3/process.hpp"
#include "interconnects/quadrics/elanlib/matcher.hpp"

namespace railyard::elanlib {

/// What became of a request.
struct Outcome {
    Status status;      ///< too_long: cut to the buffer; flushed: the send was taken back
    Envelope envelope;  ///< of a receive: what came; its size may exceed the buffer
};

class AsyncTport {
  public:
    /// None is the same as another before or behind it.
    using Request = std::uint64_t;
    static std::uint32_t slot_of(Request request) { return static_cast<std::uint32_t>(request); }

    /// The processor of the process, and who hears of the ends of requests.
    class Host {
      public:
        virtual void work(Duration work) = 0;
        /// Copies what a process of the same node has sent.
        virtual void copy(Request receive, Bytes size) = 0;
        /// In an event: take() tells of it.
        virtual void ended(Request request) = 0;
        /// In an event: a message has come that no receive was posted for.
        virtual void unexpected() {}

      protected:
        ~Host() = default;
    };

    /// Every process of the job has one, with the same number, before any sends.
    AsyncTport(elan::Machine& machine, const elan::Job& job, Vpid self, std::uint32_t number,
               Host& host);
    ~AsyncTport();
    AsyncTport(const AsyncTport&) = delete;
    AsyncTport& operator=(const AsyncTport&) = delete;

    bool knows(Vpid peer) const { return peer < job_.processes.size(); }
    bool on_this_node(Vpid peer) const { return node_of(peer) == node_of(self()); }

    /// Fewer bytes than inline_below, which are copied at once: to the peer's adapter, or for a
    /// peer on this node (TP-4).
    Request send_with_envelope(Vpid to, Tag tag, std::span<const std::byte> data);
    /// The data stay where they are until the receiver asks for them, or copies them (TP-3).
    Request send_envelope(Vpid to, Tag tag, Address from, std::uint32_t size);
    /// The memory is the port's until the request has ended.
    Request receive(const Selector& selector, Address buffer, std::uint32_t size);
    /// Takes a receive back, which is then forgotten; false if it has been matched.
    bool cancel(Request receive);
    /// Asks for a send back whose data are still here. If nobody has matched it, it ends as
    /// flushed; else as if nobody had asked.
    void withdraw(Request send);
    /// Null unless it has come, and no receive that was posted before gets it.
    const Envelope* probe(const Selector& selector) const { return matcher_->find(selector); }

    bool is_known(Request request) const;
    bool has_ended(Request request) const { return slots_[slot_of(request)].ended; }
    /// Of one that has ended, once: what became of it.
    Outcome take(Request request);

    /// Nothing gets from or to that node any more: what is under way ends as timed_out.
    void give_up(elite::NodeId node);
    /// Nothing more is received, and nobody hears of anything; senders are told.
    void close();

    const Matcher& matcher() const { return *matcher_; }

  private:
    enum class Kind : std::uint8_t {
        send,
        receive,
        notice,  ///< of the library's own, to a peer's matcher
    };
    /// A request, from its start until neither process nor adapter names it any more.
    struct Slot {
        std::uint32_t index = 0;
        std::uint32_t laps = 0;  ///< requests that it has served
        Kind kind = Kind::send;
        bool ended = true;      ///< the process has been told
        bool taken = true;      ///< ... and does not ask any more
        bool given_up = false;  ///< told so, though it may be under way
        unsigned firings = 0;   ///< of its event that are still to come
        Status status;
        Address event = elan::null_address;
        Address prepared = elan::null_address;  ///< the event's block ...
        Address seen = elan::null_address;      ///< ... and where it is copied to, in main memory
        Address packet = elan::null_address;    ///< in Elan memory, with its descriptor
        Address buffer = elan::null_address;    ///< a receive's; or a copy, for a peer on the node
        std::uint32_t size = 0;                 ///< of a receive's buffer
        Vpid peer = 0;                          ///< of a send ...
        std::uint32_t number = 0;               ///< ... among those to that peer
    };
    struct Peer {
        std::uint32_t sent = 0;
        std::vector<std::uint32_t> gaps;  ///< numbers that were lost, of which it has not heard
    };
    Vpid self() const { return port_.context().self; }
    elite::NodeId node_of(Vpid vpid) const { return job_.processes[vpid].node; }
    elan::AddressSpace& space() const { return port_.context().space; }
    const elan::Parameters& parameters() const { return machine_.parameters(); }
    static Request request_of(const Slot& slot) { return Request{slot.laps} << 32 | slot.index; }
    Slot& take_slot(Kind kind);
    void let_go_if_done(Slot& slot);
    void make_event(Slot& slot);
    void retire_event(Slot& slot);
    void work(Duration work) {
        if (host_) host_->work(work);
    }
    void name(Slot& slot, Envelope& envelope, Vpid to);
    void send_packet(Slot& slot, const Envelope& envelope, std::span<const std::byte> data = {});
    void fired(Slot& slot, Status status);
    void lost(const Slot& slot);
    void end(Slot& slot, Status status);
    /// Those behind a message that is lost are not to wait for it.
    void tell_of_gaps(Vpid peer);
    void send_notice(Vpid to, Envelope::Data what, std::uint32_t number, Address about);
    Envelope found(const Slot& slot) const;
    void refuse_untouched(const Slot& receive);
    Status copy_from_peer(const Slot& receive, const Envelope& envelope);

    elan::Machine& machine_;
    const elan::Job& job_;
    const elan3::CommandPort port_;
    const std::uint32_t number_;
    Host* host_;  ///< null once it is closed
    std::shared_ptr<Matcher> matcher_;
    std::deque<Slot> slots_;
    std::vector<std::uint32_t> free_;
    std::map<Vpid, Peer> peers_;
};

}  // namespace railyard::elanlib
