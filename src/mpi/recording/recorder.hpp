#pragma once
/// Writes down what one rank does: its calls and its messages, each with its time. When it is on, a
/// call costs two readings of a clock and the writing of a record.
///
/// A receive is paired with its send afterwards, without a word on the wire. Messages of one sender
/// to one receiver in one context with one tag are matched in the order of sending by the receives
/// that get them in the order of posting: a receive posted before another that could have had the
/// earlier message would have got it, wildcards or not. So the n-th such send belongs to the n-th
/// such receive by posting. What is needed is the source and tag that a receive found, and its
/// number; a matched probe counts as the posting.

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/calls/call.hpp"
#include "mpi/engine/message_watch.hpp"
#include "mpi/recording/record.hpp"
#include "mpi/recording/store.hpp"
#include "railyard/host.hpp"

namespace railyard::mpi::recording {

/// What a rank's records are of.
struct Identity {
    int rank = 0;
    int ranks = 1;
    int node = 0;
};

/// The address of what a thread has for itself.
using ThreadId = std::uintptr_t;

/// The counter that real ranks' records have their times from.
std::uint64_t counter_now();

class Recorder final : public calls::CallWatch, public MessageWatch {
  public:
    /// Of a rank that runs for real, and that entered MPI_Init at `began` on counter_now().
    Recorder(std::unique_ptr<Store> store, const Identity& identity, std::uint64_t began);
    /// Of one in virtual time. Both outlive it.
    Recorder(Store& store, const Identity& identity, fabric::Host& host);

    void began(const calls::HandleResolver& resolver) override { resolver_ = &resolver; }
    void entered(calls::Function function, std::span<const calls::Word> arguments) override;
    void left(calls::Function function) override;
    void finalised(const Counters& counters) override;
    MessageWatch* messages() override { return this; }

    void sent(const Communicator& comm, const Envelope& envelope, int peer,
              std::size_t bytes) override;
    bool send_started(const Communicator& comm, const Request& send) override;
    bool receive_posted(const Request& receive) override;
    bool receive_posted(const Request& receive, std::uint32_t taken) override;
    std::uint32_t message_taken() override { return posted_++; }
    void completed(const Request& request) override;
    void connecting(int peer) override;
    void connected(int peer) override;
    void chose(Collective collective, Algorithm algorithm) override;
    void left_to_network(Collective collective) override;

  private:
    struct Open {
        Record* record = nullptr;
        ThreadId thread{};
        std::uint32_t serial = 0;  ///< of the call, among all that were recorded
        bool tells = false;        ///< its end, well enough, when a message was complete
    };
    /// A message under way, by the number of its request.
    struct Pending {
        Record* send = nullptr;
        std::uint64_t posted_at = 0;
        std::uint32_t number = 0;
        std::uint16_t context = 0;
    };
    /// Calls that are open at a time, of all threads, before memory has to be found for more.
    static constexpr std::size_t usually_open = 64;

    void identify(const Identity& identity);
    std::uint64_t now() {
        if (host_ == nullptr) [[likely]]
            return ticks_now();
        return first_virtual + static_cast<std::uint64_t>(host_->now().since_start().picoseconds());
    }
    std::uint64_t ticks_now() const;
    /// Null: there is no more room, or enough was recorded.
    Record* next() {
        if (next_ == end_) [[unlikely]]
            if (!get_more()) return nullptr;
        return next_++;
    }
    // What is rare, or takes long anyway, is kept out of the code that runs at every call.
    [[gnu::noinline]] bool get_more();
    [[gnu::noinline]] void read_clocks(ClockReading& into);
    [[gnu::noinline]] void make_room();
    [[gnu::noinline]] bool goes_on_polling(calls::Function function);
    Open* innermost() { return depth_ == 1 ? open_.data() : innermost_of_thread(); }
    [[gnu::noinline]] Open* innermost_of_thread();
    const Open* call_that_tells() const;
    /// When the call began that this happens in.
    std::uint64_t time_of_call() {
        const Record* const record = depth_ > 0 ? innermost()->record : nullptr;
        return record != nullptr ? record->begin : now();
    }
    [[gnu::noinline]] void describe(Record& record, calls::Function function,
                                    std::span<const calls::Word> arguments) const;
    [[gnu::noinline]] std::uint8_t number_of(ThreadId thread);
    bool continues_poll(calls::Function function, std::uint64_t time) const;
    void count_librarys(int peer, std::size_t bytes);
    Record* add_send(const Envelope& envelope, int peer, std::size_t bytes);
    Pending& pending(const Request& request);
    [[gnu::noinline]] void make_room_for(const Request& request);
    void note_choice(std::int32_t code);
    bool keep_posted(const Request& receive, std::uint32_t number, std::uint32_t context);

    std::unique_ptr<Store> own_store_;
    Store& store_;
    fabric::Host* host_ = nullptr;  ///< null: real time
    bool steady_;                   ///< the processor's counter is
    bool stopped_ = false;
    std::uint64_t microsecond_;  ///< about one, in the unit of records
    Record* last_poll_ = nullptr;
    Record* next_ = nullptr;
    Record* end_ = nullptr;
    std::vector<Open> open_ = std::vector<Open>(usually_open);  ///< calls that are not over
    std::size_t room_ = usually_open;                           ///< for how many
    std::size_t depth_ = 0;                                     ///< how many, of all threads
    std::uint32_t calls_ = 0;                                   ///< recorded so far
    ThreadId first_thread_{};
    std::vector<ThreadId> other_threads_;
    std::uint32_t posted_ = 0;  ///< receives so far
    std::vector<Pending> pending_;
    std::vector<Record*> connections_;  ///< being made
    const calls::HandleResolver* resolver_ = nullptr;
};

}  // namespace railyard::mpi::recording
