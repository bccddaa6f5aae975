#include "mpi/recording/recorder.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>

#include "base/ticks.hpp"
#include "mpi/calls/parameters.hpp"
#include "mpi/engine/communicator.hpp"
#include "mpi/engine/request.hpp"

namespace railyard::mpi::recording {

namespace {

using calls::Chapter;
using calls::Function;

/// What a call is about is read from its arguments where its messages do not tell: in point to
/// point, they do, and the arguments need not be looked at.
bool tells_by_arguments(Chapter chapter) {
    switch (chapter) {
        case Chapter::probe:
        case Chapter::collectives:
        case Chapter::nonblocking_collectives:
        case Chapter::persistent_collectives:
        case Chapter::neighbourhoods:
        case Chapter::nonblocking_neighbourhoods:
        case Chapter::persistent_neighbourhoods:
        case Chapter::one_sided:
        case Chapter::window_synchronisation:
            return true;
        default:
            return false;
    }
}

/// A function's calls as they are recorded.
struct Manner {
    bool is_silent = false;     ///< not at all
    bool is_poll = false;       ///< those in a row are one
    bool by_arguments = false;  ///< with what the arguments tell
    bool tells_end = false;     ///< completes one message at most: its end is the message's
};

struct Manners {
    std::array<Manner, calls::function_count> all{};
    Manners() {
        for (std::size_t i = 0; i < calls::function_count; ++i) {
            const auto function = static_cast<Function>(i);
            Manner& its = all[i];
            its.is_silent = function == Function::Wtime;  // to look at the clock is no call
            its.is_poll = is_poll(function);
            // Those that are called in loops until there is something say nothing by themselves.
            its.by_arguments = tells_by_arguments(calls::chapter(function)) &&
                               function != Function::Iprobe && function != Function::Improbe;
            its.tells_end = function == Function::Recv || function == Function::Wait ||
                            function == Function::Sendrecv || function == Function::Send ||
                            function == Function::Ssend || function == Function::Isend;
        }
    }
};
const Manners manners;

Manner manner_of(Function function) {
    return manners.all[static_cast<std::size_t>(function)];
}

bool is_users_message(const Communicator& comm, const Envelope& envelope) {
    return is_users(envelope) && !comm.is_librarys();
}

/// Tells threads apart at the cost of a load.
ThreadId own_thread() {
#if defined(__x86_64__)
    ThreadId self = 0;
    asm("mov %%fs:0, %0" : "=r"(self));
    return self;
#else
    return static_cast<ThreadId>(::pthread_self());
#endif
}

bool is_steady() {
    static const bool steady = ticks::has_steady_counter();
    return steady;
}

}  // namespace

std::uint64_t counter_now() {
    return ticks::now(is_steady());
}

Recorder::Recorder(std::unique_ptr<Store> store, const Identity& identity, std::uint64_t began)
    : own_store_(std::move(store)),
      store_(*own_store_),
      steady_(is_steady()),
      microsecond_(ticks::in_a_microsecond(steady_)) {
    identify(identity);
    // The library has only just learned that it is to record, so its first call is put down late.
    Record* const init = next();
    if (init == nullptr) return;
    init->begin = began;
    init->peer = calls::absent;
    init->tag = calls::absent;
    init->detail = static_cast<std::uint16_t>(Function::Init);
    init->what = What::call;
    open_[depth_++] = {init, first_thread_, calls_++};
}

Recorder::Recorder(Store& store, const Identity& identity, fabric::Host& host)
    : store_(store), host_(&host), steady_(false), microsecond_(1'000'000) {
    identify(identity);
}

void Recorder::identify(const Identity& identity) {
    first_thread_ = own_thread();
    Header& header = store_.header();
    header.rank = identity.rank;
    header.ranks = identity.ranks;
    header.node = identity.node;
    read_clocks(header.first);
}

std::uint64_t Recorder::ticks_now() const {
    return ticks::now(steady_);
}

void Recorder::read_clocks(ClockReading& into) {
    into.ticks = now();
    if (host_ != nullptr) return;
    into.monotonic = clock_nanoseconds(CLOCK_MONOTONIC);
    into.wall = clock_nanoseconds(CLOCK_REALTIME);
}

bool Recorder::get_more() {
    if (stopped_) return false;
    Header& header = store_.header();
    read_clocks(header.last);
    if (header.until != 0 &&
        header.last.monotonic - header.first.monotonic > static_cast<std::int64_t>(header.until)) {
        header.is_stopped = 1;
        stopped_ = true;
        return false;
    }
    const std::span<Record> room = store_.more();
    if (room.empty()) {
        header.is_full = 1;
        stopped_ = true;
        return false;
    }
    next_ = room.data();
    end_ = room.data() + room.size();
    return true;
}

void Recorder::entered(Function function, std::span<const calls::Word> arguments) {
    const Manner its = manner_of(function);
    if (its.is_silent || (its.is_poll && goes_on_polling(function))) return;
    Record* const record = next();
    last_poll_ = its.is_poll ? record : nullptr;
    if (depth_ == room_) [[unlikely]]
        make_room();
    const ThreadId thread = own_thread();
    open_[depth_++] = {record, thread, calls_, its.tells_end};
    if (record == nullptr) return;
    if (thread != first_thread_) [[unlikely]]
        record->thread = number_of(thread);
    ++calls_;
    record->peer = calls::absent;
    record->tag = calls::absent;
    record->detail = static_cast<std::uint16_t>(function);
    if (its.by_arguments && resolver_ != nullptr) describe(*record, function, arguments);
    record->begin = now();
    // Last: who reads this after a crash sees nothing or the whole.
    record->what = What::call;
}

void Recorder::make_room() {
    room_ *= 2;
    open_.resize(room_);
}

bool Recorder::goes_on_polling(Function function) {
    if (last_poll_ == nullptr || !continues_poll(function, now())) return false;
    ++last_poll_->bytes;
    open_[depth_++] = {last_poll_, own_thread(), calls_ - 1};
    return true;
}

/// Nothing was recorded since, and no time has passed that somebody may have computed in.
bool Recorder::continues_poll(Function function, std::uint64_t time) const {
    return depth_ == 0 && last_poll_ == next_ - 1 && own_thread() == first_thread_ &&
           last_poll_->thread == 0 && last_poll_->detail == static_cast<std::uint16_t>(function) &&
           time - last_poll_->end < microsecond_;
}

void Recorder::left(Function function) {
    if (function == Function::Wtime || depth_ == 0) return;
    Open* const open = innermost();
    Record* const record = open->record;
    // Calls of one thread nest; of several, one that is not the last may be over first.
    --depth_;
    if (open != &open_[depth_]) [[unlikely]]
        std::copy(open + 1, open_.data() + depth_ + 1, open);
    if (record == nullptr) return;
    record->end = now();
    if (function == Function::Finalize) read_clocks(store_.header().last);
}

void Recorder::describe(Record& record, Function function,
                        std::span<const calls::Word> arguments) const {
    const calls::CallFacts facts = calls::facts_of(function, arguments, *resolver_);
    record.number = communicator_number(facts.context, facts.leader);
    record.bytes = facts.bytes();
    record.peer = facts.root != calls::absent        ? facts.root
                  : facts.send.peer != calls::absent ? facts.send.peer
                                                     : facts.receive.peer;
    if (calls::chapter(function) == Chapter::probe) record.tag = facts.receive.tag;
}

std::uint8_t Recorder::number_of(ThreadId thread) {
    const auto found = std::ranges::find(other_threads_, thread);
    const auto number = static_cast<std::size_t>(found - other_threads_.begin()) + 1;
    if (found == other_threads_.end()) other_threads_.push_back(thread);
    return static_cast<std::uint8_t>(std::min<std::size_t>(number, 255));
}

Recorder::Open* Recorder::innermost_of_thread() {
    Open* const last = &open_[depth_ - 1];
    const ThreadId thread = own_thread();
    for (Open* open = last;; --open) {
        if (open->thread == thread) return open;
        if (open == open_.data()) return last;
    }
}

void Recorder::finalised(const Counters& counters) {
    Header& header = store_.header();
    header.counters = counters;
    header.has_ended = 1;
    read_clocks(header.last);
    resolver_ = nullptr;
}

void Recorder::sent(const Communicator& comm, const Envelope& envelope, int peer,
                    std::size_t bytes) {
    if (is_users_message(comm, envelope))
        add_send(envelope, peer, bytes);
    else
        count_librarys(peer, bytes);
}

void Recorder::count_librarys(int peer, std::size_t bytes) {
    PeerTraffic& traffic = store_.traffic()[static_cast<std::size_t>(peer)];
    ++traffic.messages;
    traffic.bytes += bytes;
}

Record* Recorder::add_send(const Envelope& envelope, int peer, std::size_t bytes) {
    Record* const record = next();
    if (record == nullptr) return nullptr;
    record->begin = time_of_call();
    record->bytes = bytes;
    record->peer = peer;
    record->tag = envelope.tag;
    record->detail = static_cast<std::uint16_t>(envelope.context);
    record->what = What::send;
    return record;
}

inline Recorder::Pending& Recorder::pending(const Request& request) {
    if (request.index() >= pending_.size()) [[unlikely]]
        make_room_for(request);
    return pending_[request.index()];
}

void Recorder::make_room_for(const Request& request) {
    pending_.resize(request.index() + 32);
}

bool Recorder::send_started(const Communicator& comm, const Request& send) {
    if (!is_users_message(comm, send.envelope)) {
        count_librarys(send.peer, send.bytes);
        return false;
    }
    Record* const record = add_send(send.envelope, send.peer, send.bytes);
    if (record == nullptr) return false;
    pending(send).send = record;
    return true;
}

bool Recorder::receive_posted(const Request& receive) {
    if (!is_users_message(*receive.communicator, receive.envelope)) return false;
    return keep_posted(receive, posted_++, receive.envelope.context);
}

bool Recorder::receive_posted(const Request& receive, std::uint32_t taken) {
    return keep_posted(receive, taken, receive.communicator->context());
}

bool Recorder::keep_posted(const Request& receive, std::uint32_t number, std::uint32_t context) {
    Pending& kept = pending(receive);
    kept.send = nullptr;
    kept.posted_at = time_of_call();
    kept.number = number;
    kept.context = static_cast<std::uint16_t>(context);
    return true;
}

/// The call that the rank is in, if its end tells well enough when a message was complete: it
/// completes one at most, and its end is read anyway.
const Recorder::Open* Recorder::call_that_tells() const {
    const Open& open = open_[0];
    return depth_ == 1 && open.tells && open.record != nullptr ? &open : nullptr;
}

void Recorder::completed(const Request& request) {
    const Pending& kept = pending(request);
    const Open* const call = call_that_tells();
    if (request.kind == Request::Kind::send) {
        // One that was cancelled was no message.
        if (request.result.cancelled) {
            kept.send->what = What::cancelled;
            return;
        }
        kept.send->end = call != nullptr ? call->record->begin : now();
        kept.send->number = call != nullptr ? 1 + call->serial : 0;
        return;
    }
    if (request.result.cancelled) return;
    Record* const record = next();
    if (record == nullptr) return;
    record->begin = kept.posted_at;
    record->end = call != nullptr ? 0 : now();
    if (call != nullptr) record->thread = call->record->thread;
    record->bytes = request.result.bytes;
    record->peer = request.communicator->world_rank(request.result.source);
    record->tag = request.result.tag;
    record->number = kept.number;
    record->detail = kept.context;
    record->what = What::receive;
}

void Recorder::connecting(int peer) {
    Record* const record = next();
    if (record == nullptr) return;
    record->begin = now();
    record->peer = peer;
    record->what = What::connection;
    connections_.push_back(record);
}

void Recorder::connected(int peer) {
    const auto found = std::ranges::find(connections_, peer, &Record::peer);
    if (found == connections_.end()) return;
    (*found)->end = now();
    connections_.erase(found);
}

void Recorder::chose(Collective collective, Algorithm algorithm) {
    note_choice(
        chosen::code(static_cast<std::int32_t>(collective), static_cast<std::int32_t>(algorithm)));
}

void Recorder::left_to_network(Collective collective) {
    note_choice(chosen::code(static_cast<std::int32_t>(collective), chosen::network));
}

/// Collectives may be made of others: the first choice is the call's own.
void Recorder::note_choice(std::int32_t code) {
    if (depth_ == 0) return;
    Record* const record = innermost()->record;
    if (record != nullptr && record->tag == calls::absent) record->tag = code;
}

}  // namespace railyard::mpi::recording
