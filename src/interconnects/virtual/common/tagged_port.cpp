#include "interconnects/virtual/common/tagged_port.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace railyard::virtual_time {

using fabric::TaggedCompletion;
using fabric::TaggedPeer;

namespace {

bool selects(const fabric::TaggedReceive& receive, const TaggedMessage& message) {
    return (receive.from == fabric::any_peer || receive.from == message.source) &&
           ((receive.bits ^ message.bits) & receive.mask) == 0;
}

void give(TaggedMessage& message, const fabric::TaggedReceive& receive) {
    message.receive = receive;
    message.matched = true;
}

template <class Queue, class Iterator>
std::size_t passed_over(const Queue& queue, Iterator found) {
    return static_cast<std::size_t>(found - queue.begin());
}

}  // namespace

std::size_t TaggedMatching::arrive(const Message& message) {
    const auto found =
        std::find_if(posted_.begin(), posted_.end(),
                     [&](const fabric::TaggedReceive& waits) { return selects(waits, *message); });
    const std::size_t passed = passed_over(posted_, found);
    if (found == posted_.end()) {
        unexpected_.push_back(message);
    } else {
        give(*message, *found);
        posted_.erase(found);
    }
    return passed;
}

TaggedMatching::Found TaggedMatching::post(const fabric::TaggedReceive& receive) {
    const auto found =
        std::find_if(unexpected_.begin(), unexpected_.end(),
                     [&](const Message& message) { return selects(receive, *message); });
    Found result{nullptr, passed_over(unexpected_, found)};
    if (found == unexpected_.end()) {
        posted_.push_back(receive);
    } else {
        give(**found, receive);
        result.message = std::move(*found);
        unexpected_.erase(found);
    }
    return result;
}

TaggedMatching::Message TaggedMatching::find(const fabric::TaggedReceive& receive) const {
    const auto found =
        std::find_if(unexpected_.begin(), unexpected_.end(),
                     [&](const Message& message) { return selects(receive, *message); });
    return found == unexpected_.end() ? nullptr : *found;
}

std::optional<fabric::TaggedReceive> TaggedMatching::withdraw(std::uint64_t id) {
    const auto found =
        std::find_if(posted_.begin(), posted_.end(),
                     [&](const fabric::TaggedReceive& waits) { return waits.id == id; });
    if (found == posted_.end()) return std::nullopt;
    const fabric::TaggedReceive receive = *found;
    posted_.erase(found);
    return receive;
}

std::deque<TaggedMatching::Message> TaggedMatching::clear() {
    posted_.clear();
    return std::exchange(unexpected_, {});
}

TaggedRegistrations::Work TaggedRegistrations::use(std::span<const std::byte> buffer) {
    const auto same = std::find_if(kept_.begin(), kept_.end(), [&](const auto& other) {
        return other.data() == buffer.data() && other.size() == buffer.size();
    });
    if (same != kept_.end()) {
        std::rotate(same, same + 1, kept_.end());
        return {};
    }
    Work work{Bytes(buffer.size()), std::nullopt};
    kept_.push_back(buffer);
    if (kept_.size() > capacity_) {
        work.deregistered = Bytes(kept_.front().size());
        kept_.erase(kept_.begin());
    }
    return work;
}

TaggedPort::TaggedPort(std::shared_ptr<NicState> nic)
    : nic_(std::move(nic)),
      rules_(wire().tagged_rules()),
      registrations_(rules_.registration_cache) {}

void TaggedPort::keep_registrations(bool keep) {
    registrations_ = TaggedRegistrations(keep ? rules_.registration_cache : 0);
}

void TaggedPort::close() {
    open_ = false;
    kept_sends_.clear();
    for (const Message& message : matching_.clear())
        answer(message, Code::remote_closed);
}

TaggedPeer TaggedPort::peer(const fabric::Address& address) {
    return number_of(network().name_of(address));
}

/// Senders get a number, too, when their first message comes.
TaggedPeer TaggedPort::number_of(const NicName& name) {
    const auto [entry, is_new] = numbers_.try_emplace(name, static_cast<TaggedPeer>(peers_.size()));
    if (is_new) {
        const std::shared_ptr<NicState> nic = network().find(name);
        peers_.push_back({End{.node = name.node, .nic = name.nic},
                          nic ? nic->tagged : std::weak_ptr<TaggedPort>()});
    }
    return entry->second;
}

Status TaggedPort::send(const fabric::TaggedSend& request) {
    const Bytes size(request.data.size());
    if (request.to >= peers_.size()) return Code::invalid;
    if (size > network().traits.max_message) return Code::too_long;
    const bool eager = !request.synchronous && !large(size);

    nic_->spend(HostStep::tagged_send, size);
    const std::byte* const from = request.scratch ? nullptr : request.data.data();
    if (eager && copied(size)) nic_->copy(size, rules_.piece, nullptr, from);
    if (eager && inlined(size)) nic_->touch(size, nullptr, from);
    if (large(size) && rules_.implicit_registration) {
        const TaggedRegistrations::Work work = registrations_.use(request.data);
        if (work.deregistered) nic_->spend(HostStep::deregister_memory, *work.deregistered);
        if (work.registered) nic_->spend(HostStep::register_memory, *work.registered);
    }

    const auto message = std::make_shared<TaggedMessage>();
    message->from = shared_from_this();
    message->id = request.id;
    message->to = request.to;
    message->target = peers_[request.to].end;
    message->bits = request.bits;
    message->size = size;
    message->eager = eager;
    if (eager)
        message->carried.assign(request.data.begin(), request.data.end());
    else
        message->kept = request.data;
    if (!eager) kept_sends_.push_back(message);
    start(message);
    return {};
}

Status TaggedPort::receive(const fabric::TaggedReceive& request) {
    if (request.from != fabric::any_peer && request.from >= peers_.size()) return Code::invalid;
    nic_->spend(HostStep::tagged_receive, Bytes(request.buffer.size()));
    const TaggedMatching::Found found = matching_.post(request);
    if (found.message)
        wire().match(end(), 0, found.passed, [self = shared_from_this(), message = found.message] {
            self->grant(message);
        });
    else if (found.passed > 0)
        wire().match(end(), 0, found.passed, [] {});  // it looked in vain, which takes time, too
    return {};
}

bool TaggedPort::cancel(std::uint64_t receive_id) {
    nic_->settle();
    const std::optional<fabric::TaggedReceive> receive = matching_.withdraw(receive_id);
    if (!receive) return false;
    TaggedCompletion completion;
    completion.id = receive->id;
    completion.peer = receive->from;
    completion.bits = receive->bits;
    completion.receive = true;
    completion.cancelled = true;
    complete({.completion = completion});
    return true;
}

void TaggedPort::cancel_send(std::uint64_t send_id) {
    const auto found = std::find_if(kept_sends_.begin(), kept_sends_.end(),
                                    [&](const Message& message) { return message->id == send_id; });
    if (found == kept_sends_.end()) return;
    const Message message = *found;
    nic_->spend(HostStep::tagged_send, Bytes());
    wire().carry(transfer(Kind::acknowledgment, end(), message->target),
                 [message] { withdraw(message); });
}

std::optional<TaggedCompletion> TaggedPort::probe(TaggedPeer from, fabric::MatchBits bits,
                                                  fabric::MatchBits mask) {
    nic_->settle();
    const Message found = matching_.find({0, from, bits, mask, {}});
    if (!found || !found->announced) {
        probing_ = true;  // before time passes: what comes meanwhile must be heard
        nic_->spend(HostStep::poll_empty);
        return std::nullopt;
    }
    TaggedCompletion completion;
    completion.peer = found->source;
    completion.bits = found->bits;
    completion.length = found->size;
    completion.receive = true;
    return completion;
}

void TaggedPort::complete(Entry entry) {
    const TaggedCompletion& completion = entry.completion;
    const Finished what{completion.receive, completion.length};
    completions_.push() = std::move(entry);
    wire().complete(end(), what, [self = shared_from_this()] { self->show_next(); });
}

void TaggedPort::show_next() {
    ++shown_;
    nic_->notify();
}

std::size_t TaggedPort::poll(std::span<TaggedCompletion> out) {
    nic_->settle();
    // Those that come while the processor is busy with these are for the next poll.
    const std::size_t n =
        std::min(out.size(), static_cast<std::size_t>(shown_ - completions_.begin()));
    for (std::size_t i = 0; i < n; ++i) {
        Entry entry = std::move(completions_.front());
        completions_.pop();
        nic_->spend(HostStep::tagged_reap, entry.completion.length);
        if (entry.copied)
            nic_->copy(entry.placed, entry.unexpected ? entry.placed : rules_.piece, entry.into,
                       nullptr);
        if (entry.inlined) nic_->touch(entry.placed, entry.into, nullptr);
        out[i] = entry.completion;
    }
    if (n == 0) nic_->spend(HostStep::poll_empty);
    return n;
}

}  // namespace railyard::virtual_time
