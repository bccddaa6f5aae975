#include "interconnects/quadrics/elanlib/matcher.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "interconnects/quadrics/elan3/process.hpp"

namespace railyard::elanlib {

using elan::Verdict;

std::shared_ptr<Matcher> Matcher::start(elan::Adapter& adapter, elan::Context& context,
                                        std::uint32_t queue) {
    const auto matcher = std::make_shared<Matcher>(adapter, context, queue);
    const elan3::CommandPort port(adapter, context);
    const auto event = [&](std::function<void(Status)> listener) {
        elan::EventState state;
        state.rearms = true;
        state.listener = std::move(listener);
        return port.make_event(std::move(state));
    };
    matcher->posted_event_ = event([matcher](Status) { matcher->told_of_receive(); });
    port.make_queue(queue, event([matcher](Status) { matcher->wake(); }));
    return matcher;
}

void Matcher::wake() {
    if (std::exchange(awake_, true)) return;
    adapter_.threads().schedule([this] { go_on(); });
}

void Matcher::told_of_receive() {
    if (written_.empty()) return;  // closed meanwhile
    if (!written_.front().cancelled) fresh_.push_back(written_.front());
    written_.pop_front();
    wake();
}

void Matcher::go_on() {
    Message message;
    while (!busy_) {
        if (!fresh_.empty()) {
            take_receive();
        } else if (next(message)) {
            arrived(std::move(message));
        } else {
            awake_ = false;
            return;
        }
    }
}

/// Two packets of one sender may overtake each other; their numbers tell (TP-7).
bool Matcher::next(Message& message) {
    auto& queue = context_.queues.at(queue_).messages;
    for (; ready_.empty() && !queue.empty(); queue.pop_front()) {
        Message taken;
        taken.packet = std::move(queue.front().bytes);
        std::memcpy(&taken.envelope, taken.packet.data(), sizeof(Envelope));
        if (closed_) {
            ready_.push_back(std::move(taken));  // in any order: nobody gets it
            continue;
        }
        Stream& stream = streams_[taken.envelope.from];
        // Numbers of 32 bits come around: they are counted from the one whose turn it is.
        const auto ahead = static_cast<std::int32_t>(taken.envelope.number -
                                                     static_cast<std::uint32_t>(stream.turn));
        // One that its sender gave up may have come all the same: the first to come counts.
        if (ahead >= 0)
            stream.early.emplace(stream.turn + static_cast<std::uint32_t>(ahead), std::move(taken));
        for (auto first = stream.early.begin();
             first != stream.early.end() && first->first == stream.turn;
             first = stream.early.erase(first), ++stream.turn)
            if (first->second.envelope.data != Envelope::Data::lost)
                ready_.push_back(std::move(first->second));
    }
    if (ready_.empty()) return false;
    message = std::move(ready_.front());
    ready_.pop_front();
    return true;
}

void Matcher::arrived(Message message) {
    if (closed_) return refuse(message.envelope, Code::remote_closed);
    if (message.envelope.data == Envelope::Data::withdrawn) return withdraw(message.envelope);
    const auto match = std::find_if(posted_.begin(), posted_.end(), [&](const Posted& receive) {
        return receive.selector.accepts(message.envelope);
    });
    const auto passed = match - posted_.begin();
    work_.message = std::move(message);
    if (match != posted_.end()) {
        work_.receive = *match;
        posted_.erase(match);
    }
    const elan::TportTimes& times = adapter_.chip().parameters.tports;
    compute(times.match + times.entry * passed);
}

void Matcher::take_receive() {
    const Posted receive = fresh_.front();
    fresh_.pop_front();
    const auto match = std::find_if(
        unexpected_.begin(), unexpected_.end(),
        [&](const Message& message) { return receive.selector.accepts(message.envelope); });
    const auto passed = match - unexpected_.begin();
    if (match == unexpected_.end()) {
        posted_.push_back(receive);
    } else {
        work_.receive = receive;
        work_.message = std::move(*match);
        unexpected_.erase(match);
    }
    const elan::TportTimes& times = adapter_.chip().parameters.tports;
    compute(times.receive + times.entry * passed);
}

/// It comes behind the message that it is about, which is among the unexpected ones or matched.
void Matcher::withdraw(const Envelope& asks) {
    const auto found =
        std::find_if(unexpected_.begin(), unexpected_.end(), [&](const Message& one) {
            return one.envelope.from == asks.from && one.envelope.number == asks.address;
        });
    const auto passed = found - unexpected_.begin();
    if (found != unexpected_.end()) {
        work_.message = std::move(*found);
        work_.withdrawn = true;
        unexpected_.erase(found);
    }
    const elan::TportTimes& times = adapter_.chip().parameters.tports;
    compute(times.match + times.entry * passed);
}

void Matcher::compute(Duration work) {
    busy_ = true;
    adapter_.threads().compute(work, [this] { computed(); });
}

void Matcher::computed() {
    busy_ = false;
    if (work_.message && (closed_ || work_.withdrawn)) {
        refuse(work_.message->envelope, closed_ ? Code::remote_closed : Code::flushed);
        work_ = {};
    } else if (work_.message) {
        work_.receive ? give() : keep();
    }
    go_on();
}

/// Into a system buffer, so that the queue's slot is free for others (TP-4).
void Matcher::keep() {
    Message& message = *work_.message;
    if (message.data().empty()) return written(Verdict::taken);
    message.buffer = context_.space.allocate(elan::Home::main, inline_below);
    context_.space.bind(message.buffer);
    ++buffered_;
    write(message.buffer, message.data());
}

/// The envelope goes into the event's block; the data go where they are wanted.
void Matcher::give() {
    const Posted& receive = *work_.receive;
    const Message& message = *work_.message;
    const Envelope& envelope = message.envelope;
    const Found found{1, 1, envelope};
    context_.space.store(receive.block, std::as_bytes(std::span(&found, 1)));
    const std::uint32_t size = std::min(receive.size, envelope.size);
    const bool comes_later = envelope.data != Envelope::Data::with_it;
    if (comes_later && message.given_up) return written(Verdict::unreachable);
    if (envelope.data == Envelope::Data::at_sender) {
        fetch(receive, envelope, size);
        work_ = {};
    } else if (comes_later || size == 0) {
        written(Verdict::taken);  // on the node, the receiving process copies them
    } else {
        write(receive.buffer, message.data().first(size));
    }
}

/// By a remote read; where there is nothing to fetch, both sides are told.
void Matcher::fetch(const Posted& receive, const Envelope& envelope, std::uint32_t size) {
    if (size == 0) {
        set_event(envelope.from, envelope.event, {});
        return set_event(context_.self, receive.event, {});
    }
    elan::Descriptor get;
    get.direction = elan::Direction::read;
    get.size = size;
    get.source = envelope.from;
    get.destination = context_.self;
    get.source_address = envelope.address;
    get.destination_address = receive.buffer;
    get.source_event = envelope.event;
    get.destination_event = receive.event;
    adapter_.dma().enqueue(context_, get, adapter_.dma().next_id());
}

void Matcher::set_event(Vpid vpid, Address event, Status status) {
    adapter_.events().set_anywhere(elan::Role::scheduler, context_, vpid, event, status);
}

void Matcher::refuse(const Envelope& envelope, Status status) {
    if (envelope.event != elan::null_address) set_event(envelope.from, envelope.event, status);
}

/// The thread goes on when memory has taken the data over: whatever it or an event of its writes
/// next comes behind them.
void Matcher::write(Address to, std::span<const std::byte> data) {
    busy_ = true;
    elan::Chip& chip = adapter_.chip();
    const auto copy = chip.pools.copies.take();
    copy->bytes.assign(data.begin(), data.end());
    const elan::MoveHandle move = chip.pools.moves.take();
    move->mover = this;
    move->subject = copy;
    move->context = &context_;
    move->access = elan::Access::write;
    move->address = to;
    move->size = static_cast<std::uint32_t>(data.size());
    move->bytes = copy->bytes.data();
    chip.start(move);
}

/// A page was not there, or a reset has lost the walk of the tables: once more.
void Matcher::checked(const elan::MoveHandle& move, Verdict verdict) {
    if (verdict == Verdict::taken) return;
    if (verdict != Verdict::later) return written(verdict);
    elan::Chip& chip = adapter_.chip();
    chip.engine.schedule(std::max(chip.back_at, chip.engine.now() + chip.parameters.host.trap),
                         [&chip, move] {
                             move->chunks.clear();
                             move->translated = 0;
                             chip.start(move);
                         });
}

/// What came with its envelope is on its way to its place, or there was nothing to write.
void Matcher::written(Verdict verdict) {
    const bool waited = std::exchange(busy_, false);
    Work done = std::exchange(work_, {});
    Message& message = *done.message;
    if (closed_) {
        refuse(message.envelope, Code::remote_closed);
    } else if (done.receive) {
        set_event(context_.self, done.receive->event, to_status(verdict));
        if (message.buffer != elan::null_address)
            context_.space.release(message.buffer, inline_below);
    } else {
        unexpected_.push_back(std::move(message));
        if (on_unexpected) on_unexpected();
    }
    if (waited) go_on();
}

template <class Do>
void Matcher::for_each_new(Do what) const {
    for (const auto* const list : {&fresh_, &written_})
        for (const Posted& receive : *list)
            if (!receive.cancelled) what(receive);
}

/// Those that the thread has yet to look at come before any receive that is posted now.
const Envelope* Matcher::find(const Selector& selector) const {
    std::vector<const Envelope*> left;
    for (const Message& message : unexpected_)
        left.push_back(&message.envelope);
    const auto first = [&](const Selector& wanted) {
        return std::find_if(left.begin(), left.end(),
                            [&](const Envelope* one) { return wanted.accepts(*one); });
    };
    for_each_new([&](const Posted& receive) {
        if (const auto taken = first(receive.selector); taken != left.end()) left.erase(taken);
    });
    const auto found = first(selector);
    return found == left.end() ? nullptr : *found;
}

bool Matcher::cancel(Address event) {
    const auto is_it = [&](const Posted& receive) {
        return receive.event == event && !receive.cancelled;
    };
    // Of one that the thread is yet to be told of, only its place stays.
    if (const auto found = std::find_if(written_.begin(), written_.end(), is_it);
        found != written_.end())
        return found->cancelled = true;
    return std::erase_if(fresh_, is_it) + std::erase_if(posted_, is_it) > 0;
}

template <class Do>
void Matcher::for_each_waiting(Do what) {
    for (auto* const list : {&unexpected_, &ready_})
        for (Message& message : *list)
            what(message);
    for (auto& [from, stream] : streams_)
        for (auto& [number, message] : stream.early)
            what(message);
    if (work_.message) what(*work_.message);
}

void Matcher::give_up(elite::NodeId node) {
    for_each_waiting([&](Message& message) {
        if (context_.job->processes[message.envelope.from].node == node) message.given_up = true;
    });
}

void Matcher::close() {
    closed_ = true;
    on_unexpected = nullptr;
    context_.queues.at(queue_).open = false;
    written_.clear();
    fresh_.clear();
    posted_.clear();
    for (const Message& message : std::exchange(unexpected_, {}))
        refuse(message.envelope, Code::remote_closed);
    // Others when the thread gets to them; what waits for one that never comes, now.
    for (const auto& [from, stream] : std::exchange(streams_, {}))
        for (const auto& [number, message] : stream.early)
            refuse(message.envelope, Code::remote_closed);
}

}  // namespace railyard::elanlib
