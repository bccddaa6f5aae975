#include "interconnects/quadrics/elanlib/broadcast_channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "railyard/base/error.hpp"

namespace railyard::elanlib {

using elan::Home;

namespace {

/// All of them but the sender: where it is at an edge it is left out; elsewhere it is in the range,
/// and writes to itself what it has.
struct Range {
    Range(elan3::Vpid sender, std::size_t processes)
        : first(sender == 0 ? 1 : 0),
          last(static_cast<elan3::Vpid>(sender + 1 == processes ? processes - 2 : processes - 1)) {}
    bool contains(elan3::Vpid vpid) const { return first <= vpid && vpid <= last; }

    elan3::Vpid first;
    elan3::Vpid last;
};

}  // namespace

BroadcastChannel::BroadcastChannel(elan3::Process& process)
    : process_(process), places_(make_places(process)) {
    const auto& all = process.job().processes;
    if (all.size() < 2)
        throw UsageError("a broadcast channel of one process: there is nobody else");
    for (std::size_t i = 1; i < all.size(); ++i)
        if (all[i].node != all[i - 1].node + 1)
            throw UsageError(
                fmt::format("process {} is on node {} and process {} on node {}: a broadcast "
                            "channel is of a range of nodes; place the job so",
                            i - 1, all[i - 1].node, i, all[i].node));
}

BroadcastChannel::Places BroadcastChannel::make_places(elan3::Process& process) {
    // Whoever sets them waits until the process has seen the last time.
    const elan3::EventOptions by_itself{.chain = {}, .rearms = true};
    Places places;
    places.taken = process.allocate(Home::sdram, elan::block_size);
    places.requests = process.allocate(Home::sdram, buffers * elan::block_size);
    places.begin = process.make_event({.chain = {}, .for_thread = true});
    process.put_value(places.taken, std::uint32_t{0});
    for (Buffer& buffer : places.in_turn) {
        buffer.data = process.allocate(Home::main, buffer_size);
        buffer.landed = process.make_event(by_itself);
        buffer.sent = process.make_event(by_itself);
        // Touched, so that no packet finds a page that is not bound.
        process.store(buffer.data, std::vector<std::byte>(buffer_size));
    }
    return places;
}

bool BroadcastChannel::is_free(std::uint32_t buffer) {
    Pending& pending = pending_[buffer];
    const Buffer& its = places_.in_turn[buffer];
    if (pending.sent && process_.poll(its.sent)) {
        pending.sent = false;
        if (failure_.ok()) failure_ = process_.status(its.sent);
        if (failure_.failed()) pending.landed = false;  // it may never come
    }
    if (pending.landed && process_.poll(its.landed)) pending.landed = false;
    return !pending.sent && !pending.landed;
}

void BroadcastChannel::send(std::span<const std::byte> data, bool more) {
    if (data.size() > capacity)
        throw UsageError(
            fmt::format("a broadcast of {} bytes, of which a buffer holds {}; send it "
                        "in pieces",
                        data.size(), capacity));
    if (!has_thread_) start_thread();
    const std::uint32_t buffer = next_ % buffers;
    const auto size = static_cast<std::uint32_t>(data.size());
    const Address at = places_.in_turn[buffer].data;
    process_.put_value(at, Header{size, more ? 1U : 0U});
    process_.store(at + header_size, data);
    process_.put_value(places_.requests + own_++ % buffers * elan::block_size,
                       Request{next_, size + header_size});
    pending_[buffer] = {true,
                        Range(process_.self(), process_.processes()).contains(process_.self())};
    // Its own buffer is free for the next sender: that one has this broadcast, so all of it was
    // read.
    process_.put_value(places_.taken, ++next_);
    process_.set(process_.self(), places_.begin.address);
}

std::optional<Status> BroadcastChannel::test_sent() {
    for (std::uint32_t buffer = 0; buffer < buffers; ++buffer)
        if (!is_free(buffer)) return {};
    return failure_;
}

std::optional<BroadcastChannel::Arrived> BroadcastChannel::test_arrived() {
    const Buffer& next = places_.in_turn[next_ % buffers];
    if (!process_.poll(next.landed)) return {};
    const auto header = process_.value<Header>(next.data);
    return Arrived{process_.status(next.landed), std::min(header.size, capacity), header.more != 0};
}

void BroadcastChannel::take(std::span<std::byte> into) {
    const Address at = places_.in_turn[next_ % buffers].data;
    const auto size = std::min(process_.value<Header>(at).size, capacity);
    process_.load(at + header_size, into.first(std::min<std::size_t>(size, into.size())));
    process_.put_value(places_.taken, ++next_);
}

bool BroadcastChannel::has_news() {
    for (std::uint32_t buffer = 0; buffer < buffers; ++buffer) {
        const Buffer& its = places_.in_turn[buffer];
        if (process_.has_fired(its.sent) || process_.has_fired(its.landed)) return true;
    }
    return false;
}

void BroadcastChannel::start_thread() {
    has_thread_ = true;
    process_.start_thread(fmt::format("broadcasts of process {}", process_.self()),
                          [places = places_](elan::Thread& thread) { serve(thread, places); });
}

/// On the thread processor: the process may fill the next buffer meanwhile. Counts are tested for
/// half of the buffers at a time, so that most broadcasts need no test before them.
void BroadcastChannel::serve(elan::Thread& thread, const Places& places) {
    const elan::Context& context = thread.context();
    const Range range(context.self, context.job->processes.size());
    std::uint32_t all_took = 0;  ///< at least so many broadcasts
    for (std::uint32_t served = 0;; ++served) {
        (void)thread.wait(places.begin.address);
        Request request;
        thread.load(places.requests + served % buffers * elan::block_size,
                    std::as_writable_bytes(std::span(&request, 1)));
        const Buffer& buffer = places.in_turn[request.number % buffers];
        elan::Verdict verdict = elan::Verdict::taken;
        if (request.number >= all_took + buffers) {
            const std::uint32_t needed = request.number - buffers / 2;
            while ((verdict = thread.test(range.first, range.last, places.taken, needed)) ==
                   elan::Verdict::not_yet)
                thread.sleep(Duration::us(1));
            all_took = needed;
        }
        if (verdict != elan::Verdict::taken) {
            thread.set_event(context.self, buffer.sent.address, elan::to_status(verdict));
            continue;
        }
        thread.compute(thread.parameters().thread_packet);
        elan::Descriptor data;
        data.broadcast = true;
        data.size = request.size;
        data.source = context.self;
        data.destination = range.first;
        data.last_destination = range.last;
        data.source_address = data.destination_address = buffer.data;
        data.source_event = buffer.sent.address;
        data.destination_event = buffer.landed.address;
        thread.start(data);
    }
}

}  // namespace railyard::elanlib
