#pragma once
/// Remote DMAs and what the packets of one carry: the descriptor, the steps that a DMA goes
/// through, the transactions for the inputter of another adapter and the answer that comes back
/// with the token.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "interconnects/quadrics/elan/address_space.hpp"
#include "interconnects/quadrics/elite/network.hpp"
#include "railyard/base/status.hpp"
#include "railyard/base/time.hpp"

namespace railyard::elan {

// Objects that are used again: what a packet needs on its way through an adapter is made once, and
// passed on by counted handles. Everything is on one thread, so a count is a plain number.

/// Base of what a Pool makes.
class Pooled {
  public:
    Pooled(const Pooled&) = delete;
    Pooled& operator=(const Pooled&) = delete;
    virtual ~Pooled() = default;

  protected:
    Pooled() = default;

  private:
    template <class T>
    friend class Handle;
    template <class T>
    friend class Pool;

    /// Nobody uses it any more: it lets go of what it holds, and is as new.
    virtual void clear() = 0;

    std::vector<Pooled*>* home_ = nullptr;  ///< where it waits to be used again
    std::uint32_t users_ = 0;
};

/// Keeps an object in use.
template <class T>
class Handle {
  public:
    Handle() = default;
    Handle(std::nullptr_t) {}  // NOLINT: as a pointer
    explicit Handle(T* object) : object_(object) { hold(); }
    Handle(const Handle& other) noexcept : object_(other.object_) { hold(); }
    Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    template <class Other>
    requires std::is_base_of_v<T, Other> Handle(const Handle<Other>& other)
    noexcept  // NOLINT
        : object_(other.get()) {
        hold();
    }
    Handle& operator=(Handle other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Handle() {
        if (object_) release(*object_);
    }

    T* get() const { return object_; }
    T& operator*() const { return *object_; }
    T* operator->() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }
    friend bool operator==(const Handle&, const Handle&) = default;

  private:
    void hold() {
        if (object_) ++static_cast<Pooled*>(object_)->users_;
    }
    static void release(Pooled& object) {
        if (--object.users_ > 0) return;
        object.clear();
        object.home_->push_back(&object);
    }

    T* object_ = nullptr;
};

/// Must outlive all handles to what it has made.
template <class T>
class Pool {
  public:
    Handle<T> take() {
        if (free_.empty()) {
            made_.push_back(std::make_unique<T>());
            made_.back()->home_ = &free_;
            free_.push_back(made_.back().get());
        }
        T* const object = static_cast<T*>(free_.back());
        free_.pop_back();
        return Handle<T>(object);
    }
    /// Nothing comes back any more, and what is in use holds nothing: before pools go whose objects
    /// hold each other.
    void close() {
        for (const auto& object : made_)
            ++static_cast<Pooled&>(*object).users_;
        for (const auto& object : made_)
            static_cast<Pooled&>(*object).clear();
    }

  private:
    std::vector<std::unique_ptr<T>> made_;
    std::vector<Pooled*> free_;
};

enum class Direction : std::uint8_t {
    write,  ///< from the memory of whoever posts it to a remote one
    read,   ///< from a remote memory: the adapter over there is asked to write (RD-8)
    /// From memory to an input queue, whose number is the destination address: one packet.
    message,
};

/// What a remote DMA is to do: 64 bytes that a process writes into Elan memory, and whose address
/// it gives to the command processor (mech.remote-dma).
struct alignas(8) Descriptor {
    Direction direction = Direction::write;
    elite::Priority priority = elite::Priority::low;
    /// A write may go to all processes from `destination` to this one, if their nodes are a range.
    bool broadcast = false;
    std::uint8_t retries = 0;  ///< after a fault, on each way; 0: the adapter's default
    std::uint32_t size = 0;
    Vpid source = 0;
    Vpid destination = 0;
    Vpid last_destination = 0;  ///< of a broadcast
    Address source_address = null_address;
    Address destination_address = null_address;
    Address source_event = null_address;       ///< set at the source, after the acknowledgment
    Address destination_event = null_address;  ///< set at the destination, when all is in place
    Address failure_event = null_address;      ///< set at the source if it fails, and only then
};
static_assert(sizeof(Descriptor) <= 64);

/// Tells a DMA from all others, in traces.
using DmaId = std::uint64_t;

/// The thirteen steps of a remote DMA.
enum class Step : std::uint8_t {
    none,
    write_descriptor,   ///< 1: the process, into Elan memory
    give_command,       ///< 2: its address, to the command processor
    check,              ///< 3
    enqueue,            ///< 4
    transfer,           ///< 5: the DMA engine
    notify_engine,      ///< 6: the remote inputter, at the end
    acknowledge,        ///< 7: to the inputter of the source
    source_event,       ///< 8
    source_copy,        ///< 9: its block copy
    source_seen,        ///< 10: in main memory
    destination_event,  ///< 11
    destination_copy,   ///< 12
    destination_seen,   ///< 13
};

/// In a few words.
std::string_view name(Step step);
/// Behind its number, as traces have it.
std::string_view numbered(Step step);

/// What happened to each remote DMA, step by step, where somebody asks for it
/// (Machine::keep_journal).
struct Journal {
    struct Line {
        Time at;
        elite::NodeId node = 0;
        Step step = Step::none;
        DmaId dma = 0;
    };
    std::vector<Line> lines;
};

class Context;
struct Parcel;

enum class Transaction : std::uint8_t {
    write_blocks,  ///< data of a DMA; the last packet sets an event with it
    read_request,  ///< a descriptor, for the DMA engine over there
    set_event,
    enqueue,  ///< a small message for an input queue
    test,     ///< accepted only if a word in memory has reached a value
};

/// What the destination says of it.
enum class Verdict : std::uint8_t {
    taken,
    later,        ///< a page is being bound, or a queue is full: worth another try
    not_yet,      ///< the tested word has not got there
    no_context,   ///< no such process, or one of another job
    no_right,     ///< the address is not open to the sender
    bad_address,  ///< nothing is mapped there
    unreachable,  ///< no way is left
};

/// As the data path tells it to programs.
constexpr Status to_status(Verdict verdict) {
    switch (verdict) {
        case Verdict::taken:
            return {};
        case Verdict::later:
        case Verdict::not_yet:
            return Code::again;
        case Verdict::no_context:
            return Code::refused;
        case Verdict::no_right:
            return Code::no_right;
        case Verdict::bad_address:
            return Code::out_of_bounds;
        case Verdict::unreachable:
            return Code::timed_out;
    }
    return Code::invalid;
}

using ParcelHandle = Handle<Parcel>;

/// Who sent a parcel, and is told what became of it: once.
class Sending {
  public:
    virtual ~Sending() = default;
    virtual void settled(const ParcelHandle& parcel, Verdict verdict) = 0;
};

struct ParcelWords {
    // The header.
    std::uint64_t serial = 0;  ///< of its source: a destination takes each once (FA-8)
    std::uint64_t oldest = 0;  ///< all serials below this have been settled
    std::uint64_t job = 0;
    Vpid from = 0;
    Vpid to = 0;
    Vpid last_to = 0;  ///< of a broadcast
    bool broadcast = false;
    std::uint8_t channel = 0;
    elite::Priority priority = elite::Priority::low;

    // The transaction.
    Transaction kind = Transaction::write_blocks;
    Address address = null_address;  ///< what is written, tested or set
    std::uint32_t size = 0;          ///< of its data
    bool has_data = false;           ///< else nobody looks at them, neither here nor there
    Address event = null_address;    ///< set behind the data, if this is the last packet
    Status status;                   ///< that comes with an event
    std::uint32_t number = 0;        ///< a queue's, or the value tested for
    DmaId dma = 0;
    bool last = true;  ///< of its DMA: it has the ACK Now flag that ends the whole

    // The token, on its way back.
    Verdict verdict = Verdict::taken;

    // The source's own.
    Context* context = nullptr;
    Sending* sender = nullptr;
    elite::PacketId packet;     ///< as the network knows it
    std::uint8_t retries = 0;   ///< on each way; 0: the adapter's default
    unsigned failures = 0;      ///< on the present way
    bool tried = false;         ///< it has failed at least once
    unsigned rounds = 0;        ///< the tables know no way any more: it looks for one itself
    bool fetched_anew = false;  ///< a page went away under it
};

/// Held by the source until it is settled, and by destinations until they have done with it.
struct Parcel final : Pooled, ParcelWords {
    std::array<std::byte, packet_data> data;
    Descriptor descriptor;             ///< of a read
    Handle<Pooled> owner;              ///< what the sender knows it by
    std::vector<elite::Part> avoided;  ///< what it has found bad, if it looks for a way anew

    std::span<std::byte> content() { return {data.data(), size}; }

  private:
    void clear() override {
        static_cast<ParcelWords&>(*this) = {};
        owner = nullptr;
        avoided.clear();
    }
};

}  // namespace railyard::elan
