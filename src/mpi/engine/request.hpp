#pragma once
/// A send, a receive or a collective under way. Requests live in a pool of their rank and never
/// move; their index in it is what users' handles are made of.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/copy_few.hpp"
#include "mpi/engine/packet.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/error.hpp"
#include "railyard/memory.hpp"
#include "railyard/work.hpp"

namespace railyard::mpi {

// What MPI says of a message: the envelope that it is matched by, and the status that a receive or
// a probe reports.

// Ranks and tags that mean no rank and no tag. Other ABIs may have other values, and translate.
inline constexpr int no_rank = -1;  ///< MPI_PROC_NULL: nothing is sent or received
inline constexpr int any_source = -2;
inline constexpr int any_tag = -1;
inline constexpr int max_tag = 0x3fffffff;

enum class Mode : std::uint8_t { standard, synchronous, ready, buffered };

class Request;

/// What a message and a receive must agree in.
struct Envelope {
    std::uint32_t context = 0;
    std::int32_t source = 0;  ///< rank in the communicator, or any_source
    std::int32_t tag = 0;     ///< or any_tag
    /// Of a send: a number that travels with the message, for those who check it; 0: none. It takes
    /// no part in matching.
    std::uint16_t piggyback = 0;

    friend bool operator==(const Envelope& a, const Envelope& b) {
        return a.context == b.context && a.source == b.source && a.tag == b.tag;
    }
};

// Of a message, the lower half of its header's context is the context, and the upper half is the
// number that travels with it.
inline std::uint32_t message_context(const Header& header) {
    return header.context & 0xffff;
}
inline std::uint16_t message_piggyback(const Header& header) {
    return static_cast<std::uint16_t>(header.context >> 16);
}
inline std::uint32_t context_and_piggyback(const Envelope& envelope) {
    return envelope.context | static_cast<std::uint32_t>(envelope.piggyback) << 16;
}

/// In the context of messages that make communicators of some ranks.
inline constexpr std::uint32_t subset_context = 0x8000;
/// Added to a communicator's context: where partitions of messages travel.
inline constexpr std::uint32_t partitioned_context = subset_context | 1;

/// Contexts come in pairs, and odd ones are for collectives. What these send may be memory of the
/// library's own; partitions are the user's.
inline bool is_users(const Envelope& envelope) {
    const std::uint32_t added = envelope.context & partitioned_context;
    return added == 0 || added == partitioned_context;
}

/// Whether a receive that wants this takes that message.
inline bool matches(const Envelope& wanted, const Envelope& message) {
    return wanted.context == message.context &&
           (wanted.source == any_source || wanted.source == message.source) &&
           (wanted.tag == any_tag || wanted.tag == message.tag);
}

/// What a receive says whose message was longer than its buffer, and from whom that was.
std::string too_long(const Request& receive);

struct Status {
    int source = any_source;
    int tag = any_tag;
    ErrorClass error = ErrorClass::success;
    bool cancelled = false;
    std::size_t bytes = 0;
};

class Channel;
class Communicator;
class CachedRegion;
class Schedule;

/// Puts a schedule back where it came from.
struct ScheduleRelease {
    void operator()(Schedule* schedule) const;
};
using ScheduleRef = std::unique_ptr<Schedule, ScheduleRelease>;

/// An object's own link in a LinkedList.
template <class Node>
struct Link {
    Node* previous = nullptr;
    Node* next = nullptr;
    void* list = nullptr;
};

/// A list of objects that carry their links: no allocation, and removal without search.
template <class Node>
struct LinkedList {
    Node* first = nullptr;
    Node* last = nullptr;

    bool empty() const { return first == nullptr; }
    /// `link` gives a node's link for lists of this kind.
    template <class LinkOf>
    void append(Node& node, LinkOf link) {
        Link<Node>& own = link(node);
        own.previous = last;
        own.next = nullptr;
        own.list = this;
        (last != nullptr ? link(*last).next : first) = &node;
        last = &node;
    }
    template <class LinkOf>
    void remove(Node& node, LinkOf link) {
        Link<Node>& own = link(node);
        (own.previous != nullptr ? link(*own.previous).next : first) = own.next;
        (own.next != nullptr ? link(*own.next).previous : last) = own.previous;
        own.list = nullptr;
    }
};

/// What a one-sided request does to a peer's registered memory, without the peer's help.
struct RemoteAccess {
    fabric::Op op = fabric::Op::rdma_write;
    RemoteBuffer remote{};
    std::uint64_t operand = 0;  ///< of an atomic operation, as of a WorkRequest
    std::uint64_t swap = 0;
};

/// Who is told that a request is complete, at the library's next progress (Process::watch).
class Watcher {
  public:
    /// The request is the watcher's to give back.
    virtual void completed(Request& request) = 0;

  protected:
    ~Watcher() = default;
};

/// A part of a streamed message, packed: as much as its type is best packed at once.
class StreamWindow {
  public:
    void read(const Request& request, std::size_t at, std::byte* to, std::size_t n);
    void write(Request& request, std::size_t at, const std::byte* from, std::size_t n);

  private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t at_ = 0;  ///< where it begins in the stream
    std::size_t held_ = 0;
};

class Request {
  public:
    std::uint32_t index() const { return index_; }
    /// How often it has been given back, counted in a few bits: tells its users apart.
    std::uint32_t turn() const { return turn_; }
    static constexpr std::uint32_t turns = 16;
    bool is_complete() const { return complete; }
    bool is_persistent() const { return persistent; }
    bool is_active() const { return active; }
    const Status& status() const { return result; }

    // For the engine. Plain fields: a request is a record that several parts of it work on.

    enum class Kind : std::uint8_t { send, receive, collective };
    /// What its completion brings with it: any of these.
    enum Then : std::uint8_t { nothing = 0, give_back = 1, tell = 2, record = 4 };

    /// Where its data are from `at` on, if they are a program's; else null. Those with gaps are
    /// named as if they lay together.
    const std::byte* users(std::size_t at) const {
        return is_users(envelope) ? data + at : nullptr;
    }
    /// Copies `n` bytes of the data, from `at` on, to `to`; and the other way. Both buffers stay
    /// their owners'.
    void read_data(std::size_t at, std::byte* to, std::size_t n) const {
        if (type == nullptr) [[likely]]
            copy_bytes(to, data + at, n);
        else
            type->pack(data, count, at, {to, n});
    }
    void write_data(std::size_t at, const std::byte* from, std::size_t n) {
        if (type == nullptr) [[likely]]
            copy_bytes(data + at, from, n);
        else
            type->unpack(data, count, at, {from, n});
    }
    /// The same for a message that is streamed in order: through a window, where the type is better
    /// packed so much at a time.
    void read_stream(std::size_t at, std::byte* to, std::size_t n) {
        if (stays) [[unlikely]]
            return;
        if (type == nullptr || type->window() == 0) [[likely]]
            return read_data(at, to, n);
        window.read(*this, at, to, n);
    }
    /// `total` bytes in all: with the last of them, all are where they belong.
    void write_stream(std::size_t at, const std::byte* from, std::size_t n) {
        if (stays) [[unlikely]]
            return;
        if (type == nullptr || type->window() == 0) [[likely]]
            return write_data(at, from, n);
        window.write(*this, at, from, n);
    }
    /// The buffer is the user's, and is used until the request is complete.
    void set_buffer(const void* address, std::size_t n, const Datatype& t) {
        bytes = n * t.size();
        if (t.is_dense()) [[likely]] {
            type = nullptr;
            data = static_cast<std::byte*>(const_cast<void*>(address)) + t.true_lower_bound();
        } else {
            data = static_cast<std::byte*>(const_cast<void*>(address));
            count = n;
            type = &t;
        }
    }

    /// Gives up what the last rendezvous left: packed data and registrations.
    void forget_transfer() {
        channel = nullptr;
        stays = false;
        cancelling = 0;
        stripes = 0;
        fin_received = false;
        fin_owed = false;
        one_sided = false;
        channel = nullptr;
        region.reset();
        remote.reset();
        packed.reset();
        window = {};
    }

    // What matching and small messages touch.
    Link<Request> link;
    Envelope envelope;  ///< of a receive: what it takes; of a send: what it says
    bool complete = false;
    bool persistent = false;
    bool active = true;
    std::uint8_t then = nothing;
    Kind kind = Kind::send;
    Mode mode = Mode::standard;
    bool needs_cleanup = false;  ///< holds more than a small message needs
    Content content = Content::comes;
    bool stays = false;              ///< the content of this one does (StreamWindow included)
    std::uint16_t piggyback = 0;     ///< a receive: the number that came with the message
    std::uint64_t sequence = 0;      ///< posted receives: the order of posting
    std::byte* data = nullptr;       ///< of dense data the first byte, else the address as given
    std::size_t bytes = 0;           ///< of a receive: the room there is
    const Datatype* type = nullptr;  ///< null: dense
    std::size_t count = 0;
    Status result;

    // What rendezvous needs.
    Channel* channel = nullptr;
    int peer = 0;             ///< world rank of a send's target
    std::uint64_t total = 0;  ///< bytes that are to move
    std::uint64_t moved = 0;
    std::uint32_t partner = 0;  ///< the peer's request
    std::int32_t stripes = 0;   ///< RDMA operations or immediate values still awaited
    Way way = Way::stream;
    bool fin_received = false;     ///< a receive: the sender's write_fin is here
    bool fin_owed = false;         ///< a send: write_fin is to follow the last completion
    bool one_sided = false;        ///< no rendezvous: nobody is told of its end
    std::uint32_t cancelling = 0;  ///< a send: the question to its receiver; 0: none is open
    std::shared_ptr<CachedRegion> region;  ///< of a one-sided request: given with it
    /// Of a one-sided request. It is large, so those that never were one have none; it stays for
    /// the next.
    std::unique_ptr<RemoteAccess> access;
    std::unique_ptr<fabric::RemoteRegion> remote;
    std::unique_ptr<std::byte[]> packed;  ///< data with gaps, packed for RDMA or a port
    StreamWindow window;
    std::shared_ptr<const Datatype> keeps_type;
    ScheduleRef schedule;  ///< of a collective

    std::uint64_t longer = 0;  ///< of a receive that was too short: the message's length

    Communicator* communicator = nullptr;  ///< of a receive, and of what a persistent one repeats
    Watcher* watcher = nullptr;            ///< with `tell`

  private:
    friend class RequestPool;
    std::uint32_t index_ = 0;
    std::uint8_t turn_ = 0;
    bool taken_ = false;
    Request* next_free_ = nullptr;
};

class RequestPool {
  public:
    Request& take() {
        if (free_ == nullptr) [[unlikely]]
            grow();
        Request& request = *free_;
        free_ = request.next_free_;
        request.taken_ = true;
        request.complete = false;
        request.active = true;
        return request;
    }
    void give_back(Request& request) {
        if (request.needs_cleanup) [[unlikely]]
            clean(request);
        request.taken_ = false;
        request.turn_ = (request.turn_ + 1u) % Request::turns;
        request.next_free_ = free_;
        free_ = &request;
    }
    /// Null if there is none with that index now.
    Request* find(std::uint32_t index) const {
        if (index / slab_size >= slabs_.size()) return nullptr;
        Request& request = slabs_[index / slab_size][index % slab_size];
        return request.taken_ ? &request : nullptr;
    }
    /// All that are in use and not complete.
    template <class Do>
    void for_each_pending(Do&& each) {
        for (const auto& slab : slabs_)
            for (std::size_t i = 0; i < slab_size; ++i)
                if (slab[i].taken_ && !slab[i].complete) each(slab[i]);
    }
    Request& at(std::uint32_t index) const { return slabs_[index / slab_size][index % slab_size]; }
    /// Whether one that is in use is such.
    template <class Such>
    bool any(Such&& such) const {
        for (const auto& slab : slabs_)
            for (std::size_t i = 0; i < slab_size; ++i)
                if (slab[i].taken_ && such(slab[i])) return true;
        return false;
    }

  private:
    static constexpr std::size_t slab_size = 8;
    // Out of line: most requests come from the free list, and need no cleaning.
    [[gnu::noinline]] void grow() {
        const auto first = static_cast<std::uint32_t>(slabs_.size() * slab_size);
        slabs_.push_back(std::make_unique<Request[]>(slab_size));
        for (std::uint32_t i = slab_size; i-- > 0;) {
            Request& request = slabs_.back()[i];
            request.index_ = first + i;
            request.next_free_ = free_;
            free_ = &request;
        }
    }
    [[gnu::noinline]] static void clean(Request& request) {
        request.needs_cleanup = false;
        request.persistent = false;
        request.then = Request::nothing;
        request.forget_transfer();
        request.keeps_type.reset();
        request.schedule.reset();
    }

    std::vector<std::unique_ptr<Request[]>> slabs_;
    Request* free_ = nullptr;
};

}  // namespace railyard::mpi
