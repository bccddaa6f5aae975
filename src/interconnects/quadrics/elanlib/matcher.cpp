#include "interconnects/quadrics/elanlib/matcher.hpp"

#include <algorithm>
#include <cstring>

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

}  // namespace railyard::elanlib
