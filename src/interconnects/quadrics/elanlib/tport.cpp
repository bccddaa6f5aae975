#include "interconnects/quadrics/elanlib/tport.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "railyard/base/error.hpp"

namespace railyard::elanlib {

using elan::Home;

void Matcher::run(elan::Thread& thread) {
    for (;;) {
        (void)thread.wait(event_);
        for (bool found = true; found;) {
            found = false;
            if (!fresh_.empty()) {
                const Posted receive = fresh_.front();
                fresh_.pop_front();
                take_receive(thread, receive);
                found = true;
            }
            if (auto message = next(thread)) {
                arrived(thread, std::move(*message));
                found = true;
            }
        }
    }
}

/// Two packets of one sender may overtake each other; their numbers tell (TP-7).
std::optional<Matcher::Message> Matcher::next(elan::Thread& thread) {
    while (ready_.empty()) {
        const auto raw = thread.take(queue_);
        if (!raw) return {};
        Message message;
        std::memcpy(&message.envelope, raw->bytes.data(), sizeof(Envelope));
        message.data.assign(raw->bytes.begin() + sizeof(Envelope), raw->bytes.end());
        auto& waiting = early_[message.envelope.from];
        std::uint64_t& turn = expected_[message.envelope.from];
        // One that its sender gave up may have come all the same: the first to come counts.
        if (message.envelope.number >= turn)
            waiting.emplace(message.envelope.number, std::move(message));
        for (auto first = waiting.begin(); first != waiting.end() && first->first == turn;
             first = waiting.erase(first), ++turn)
            if (first->second.envelope.data != Envelope::Data::lost)
                ready_.push_back(std::move(first->second));
    }
    Message message = std::move(ready_.front());
    ready_.pop_front();
    return message;
}

void Matcher::arrived(elan::Thread& thread, Message message) {
    const elan::TportTimes& times = thread.parameters().tports;
    const auto match = std::find_if(posted_.begin(), posted_.end(), [&](const Posted& receive) {
        return receive.selector.accepts(message.envelope);
    });
    const auto passed = match - posted_.begin();
    std::optional<Posted> receive;
    if (match != posted_.end()) {
        receive = *match;
        posted_.erase(match);
    }
    thread.compute(times.match + times.entry * passed);
    if (receive)
        give(thread, *receive, message);
    else
        keep(thread, std::move(message));
}

/// Into a system buffer, so that the queue's slot is free for others (TP-4).
void Matcher::keep(elan::Thread& thread, Message message) {
    if (!message.data.empty()) {
        elan::AddressSpace& space = thread.context().space;
        message.buffer = space.allocate(Home::main, inline_below);
        space.bind(message.buffer);
        (void)thread.write(message.buffer, message.data);
        ++buffered_;
    }
    // Receives may have been posted while it was being copied.
    unexpected_.push_back(std::move(message));
}

void Matcher::take_receive(elan::Thread& thread, const Posted& receive) {
    const elan::TportTimes& times = thread.parameters().tports;
    const auto match = std::find_if(
        unexpected_.begin(), unexpected_.end(),
        [&](const Message& message) { return receive.selector.accepts(message.envelope); });
    const auto passed = match - unexpected_.begin();
    if (match == unexpected_.end()) {
        posted_.push_back(receive);
        return thread.compute(times.receive + times.entry * passed);
    }
    const Message message = std::move(*match);
    unexpected_.erase(match);
    thread.compute(times.receive + times.entry * passed);
    give(thread, receive, message);
    if (message.buffer != elan::null_address)
        thread.context().space.release(message.buffer, inline_below);
}

/// The envelope goes into the event's block; the data go where they are wanted.
void Matcher::give(elan::Thread& thread, const Posted& receive, const Message& message) {
    const Envelope& envelope = message.envelope;
    const Found found{1, 0, envelope};
    thread.store(receive.done.block, std::as_bytes(std::span(&found, 1)));
    const std::uint32_t size = std::min(receive.size, envelope.size);
    const Vpid self = thread.context().self;
    Status status;
    switch (envelope.data) {
        case Envelope::Data::on_the_node:
            break;  // the receiving process copies them
        case Envelope::Data::lost:
            return;  // nothing that is ever matched
        case Envelope::Data::with_it:
            if (size > 0)
                status =
                    to_status(thread.write(receive.buffer, std::span(message.data).first(size)));
            break;
        case Envelope::Data::at_sender: {
            elan::Descriptor get;
            get.direction = elan::Direction::read;
            get.size = size;
            get.source = envelope.from;
            get.destination = self;
            get.source_address = envelope.address;
            get.destination_address = receive.buffer;
            get.source_event = envelope.event;
            get.destination_event = receive.done.address;
            return thread.start(get);
        }
    }
    thread.set_event(self, receive.done.address, status);
}

bool Matcher::cancel(Address event) {
    for (auto* const list : {&fresh_, &posted_}) {
        const auto found = std::find_if(list->begin(), list->end(), [&](const Posted& receive) {
            return receive.done.address == event;
        });
        if (found == list->end()) continue;
        list->erase(found);
        return true;
    }
    return false;
}

Tport::Tport(elan3::Process& process, std::uint32_t number)
    : process_(process),
      number_(number),
      work_(process.make_event({.chain = {}, .for_thread = true})),
      matcher_(std::make_shared<Matcher>(number, work_.address)) {
    process.make_queue(number, work_.address);
    process.start_thread(fmt::format("tport {} of process {}", number, process.self()),
                         [matcher = matcher_](elan::Thread& thread) { matcher->run(thread); });
}

bool Tport::on_this_node(Vpid peer) const {
    const auto& processes = process_.job().processes;
    return processes.at(peer).node == processes[process_.self()].node;
}

elan3::Event Tport::take_event() {
    if (free_events_.empty())
        return process_.make_event({.chain = {}, .rearms = true, .block = sizeof(Found)});
    const elan3::Event event = free_events_.back();
    free_events_.pop_back();
    return event;
}

Tport::Request Tport::start_send(Vpid to, Tag tag, Address from, std::uint32_t size,
                                 Delivery delivery) {
    if (to >= process_.processes())
        throw UsageError(fmt::format("process {} sends to process {}, but the job has only {}",
                                     process_.self(), to, process_.processes()));
    process_.spend(process_.machine().parameters().tports.post);
    const Request request = next_request_++;
    Pending pending;
    pending.peer = to;
    pending.size = size;
    if (out_of_reach_.contains(to)) {
        pending.over = true;
        pending.status = Code::timed_out;
        pending_.emplace(request, pending);
        return request;
    }
    pending.done = take_event();
    Envelope envelope;
    envelope.tag = tag;
    envelope.from = process_.self();
    envelope.size = size;
    envelope.number = pending.number = sent_[to]++;
    envelope.address = from;
    const bool small = size < inline_below && delivery == Delivery::asynchronous;
    if (on_this_node(to))
        envelope.data = Envelope::Data::on_the_node;
    else
        envelope.data = small ? Envelope::Data::with_it : Envelope::Data::at_sender;
    // A small one has left the user's buffer when it is at the destination, or copied for a peer on
    // the node; of others, the receiver says when it has them.
    if (envelope.data != Envelope::Data::with_it) envelope.event = pending.done.address;
    if (small && envelope.data == Envelope::Data::on_the_node) leave_copy(envelope, pending);
    send_envelope(to, envelope, from, pending);
    if (pending.over) copies_.back().envelope = pending.buffer;
    pending_.emplace(request, pending);
    return request;
}

void Tport::leave_copy(Envelope& envelope, Pending& pending) {
    while (!copies_.empty() && process_.poll(copies_.front().taken)) {
        const Copy& gone = copies_.front();
        process_.release(gone.address, inline_below);
        process_.release(gone.envelope, elan::packet_data);
        free_events_.push_back(gone.taken);
        copies_.pop_front();
    }
    std::vector<std::byte> bytes(envelope.size);
    process_.load(envelope.address, bytes);
    envelope.address = process_.allocate(Home::main, inline_below);
    process_.store(envelope.address, bytes);
    process_.spend(Bytes(bytes.size()) / process_.machine().parameters().host.copy);
    copies_.push_back({envelope.address, elan::null_address, pending.done});
    pending.over = true;
}

/// Envelope, and data if they go with it, into Elan memory and from there to the peer's queue.
void Tport::send_envelope(Vpid to, const Envelope& envelope, Address data, Pending& pending) {
    std::vector<std::byte> bytes(sizeof envelope);
    std::memcpy(bytes.data(), &envelope, sizeof envelope);
    if (envelope.data == Envelope::Data::with_it && envelope.size > 0) {
        bytes.resize(sizeof envelope + envelope.size);
        process_.load(data, std::span(bytes).subspan(sizeof envelope));
    }
    pending.buffer = process_.allocate(Home::sdram, elan::packet_data);
    process_.store(pending.buffer, bytes);
    elan::Descriptor descriptor;
    descriptor.direction = elan::Direction::message;
    descriptor.size = static_cast<std::uint32_t>(bytes.size());
    descriptor.source = process_.self();
    descriptor.destination = to;
    descriptor.source_address = pending.buffer;
    descriptor.destination_address = number_;
    // Where the receiver tells of the end, only an envelope that gets lost is the adapter's to
    // tell.
    (envelope.event == elan::null_address ? descriptor.source_event : descriptor.failure_event) =
        pending.done.address;
    process_.start(descriptor);
}

Tport::Request Tport::start_receive(const Selector& selector, Address to, std::uint32_t size) {
    process_.spend(process_.machine().parameters().tports.post);
    Pending pending;
    pending.receive = true;
    pending.done = take_event();
    pending.buffer = to;
    pending.size = size;
    matcher_->post({selector, to, size, pending.done});
    process_.set(process_.self(), work_.address);
    const Request request = next_request_++;
    pending_.emplace(request, pending);
    return request;
}

bool Tport::test(Request request) {
    Pending& pending = pending_.at(request);
    if (!pending.fired && !pending.over) pending.fired = process_.poll(pending.done);
    return pending.fired || pending.over;
}

Outcome Tport::wait(Request request, elan3::Wait how) {
    const auto found = pending_.find(request);
    if (found == pending_.end())
        throw UsageError(
            fmt::format("process {} waits for request {}, which it has not started or "
                        "has waited for already",
                        process_.self(), request));
    const Pending pending = found->second;
    pending_.erase(found);
    if (pending.over) return {pending.status, {}};
    const Status status =
        pending.fired ? process_.status(pending.done) : process_.wait(pending.done, how);
    Outcome outcome{status, {}};
    if (pending.receive)
        outcome = finish_receive(pending, status);
    else
        process_.release(pending.buffer, elan::packet_data);
    if (pending.receive || status.ok()) {
        free_events_.push_back(pending.done);
        return outcome;
    }
    // Its event is not used again: a peer that has the envelope after all may still set it.
    if (!tell_of_gap(pending)) out_of_reach_.insert(pending.peer);
    return outcome;
}

bool Tport::tell_of_gap(const Pending& lost) {
    Envelope envelope;
    envelope.from = process_.self();
    envelope.data = Envelope::Data::lost;
    envelope.number = lost.number;
    Pending pending;
    pending.done = take_event();
    send_envelope(lost.peer, envelope, elan::null_address, pending);
    const Status status = process_.wait(pending.done);
    process_.release(pending.buffer, elan::packet_data);
    free_events_.push_back(pending.done);
    return status.ok();
}

Outcome Tport::finish_receive(const Pending& pending, Status status) {
    Outcome outcome{status, {}};
    process_.load(pending.done.word + sizeof(std::uint32_t) * 2,
                  std::as_writable_bytes(std::span(&outcome.envelope, 1)));
    if (outcome.envelope.data == Envelope::Data::on_the_node && status.ok())
        outcome.status = copy_from_peer(pending, outcome.envelope);
    if (outcome.status.ok() && outcome.envelope.size > pending.size)
        outcome.status = Code::too_long;
    return outcome;
}

/// Both processes have the node's memory: the receiver copies, and says so (TP-6).
Status Tport::copy_from_peer(const Pending& pending, const Envelope& envelope) {
    std::vector<std::byte> bytes(std::min(pending.size, envelope.size));
    elan::Machine& machine = process_.machine();
    if (!machine.context(process_.job(), envelope.from).space.load(envelope.address, bytes))
        return Code::region_gone;
    process_.spend(Bytes(bytes.size()) / machine.parameters().host.copy);
    if (!bytes.empty()) process_.store(pending.buffer, bytes);
    process_.set(envelope.from, envelope.event);
    return {};
}

bool Tport::cancel(Request receive) {
    const auto found = pending_.find(receive);
    if (found == pending_.end() || !found->second.receive) return false;
    process_.spend(process_.machine().parameters().tports.post);
    if (!matcher_->cancel(found->second.done.address)) return false;
    free_events_.push_back(found->second.done);
    pending_.erase(found);
    return true;
}

}  // namespace railyard::elanlib
