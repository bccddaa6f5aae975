#include <algorithm>
#include <cstring>
#include <utility>

#include "interconnects/virtual/common/tagged_port.hpp"

namespace railyard::virtual_time {

Transfer TaggedPort::transfer(Kind kind, const End& from, const End& to) const {
    Transfer transfer;
    transfer.message = network().messages++;
    transfer.kind = kind;
    transfer.from = from;
    transfer.to = to;
    return transfer;
}

void TaggedPort::start(const Message& message) {
    Transfer leaving =
        transfer(message->eager ? Kind::tagged : Kind::tagged_request, end(), message->target);
    if (message->eager) {
        message->number = leaving.message;
        leaving.size = message->size;
        leaving.inlined = inlined(message->size);
    }
    if (wire().can_break()) network().peer_loss.add(message);
    wire().carry(leaving, [message] { arrive(message); });
}

/// What has come in whole stays; the rest will not come, and neither will word of it.
void TaggedPort::give_up(const Message& message, fabric::NodeId from, fabric::NodeId to) {
    const fabric::NodeId ours = message->from->nic_->name.node;
    const fabric::NodeId theirs = message->target.node;
    if (message->told || !((ours == from && theirs == to) || (ours == to && theirs == from)))
        return;
    message->answered = message->told = message->given_up = true;
    const std::shared_ptr<TaggedPort> target = message->from->peers_[message->to].port.lock();
    if (target && message->granted && !message->placed)
        target->complete_receive(*message, Code::timed_out);
    message->from->sent(*message, Code::timed_out);
}

void TaggedPort::arrive(const Message& message) {
    if (message->given_up || message->withdrawn) return;
    const std::shared_ptr<TaggedPort> target = message->from->peers_[message->to].port.lock();
    if (target && target->open_)
        target->judge(message);
    else
        answer(message, Code::remote_closed);
}

/// At the target: the sender wants it back. It may not be here yet.
void TaggedPort::withdraw(const Message& message) {
    if (message->given_up || message->matched || message->answered) return;
    message->withdrawn = true;
    if (const auto target = message->from->peers_[message->to].port.lock())
        target->matching_.withdraw(message);
    answer(message, {});
}

/// Decides whose it is; that takes effect when the adapter has got so far.
void TaggedPort::judge(const Message& message) {
    message->source = number_of(message->from->nic_->name);
    const std::size_t passed = matching_.arrive(message);
    wire().match(end(), passed, 0, [self = shared_from_this(), message, taken = message->matched] {
        self->judged(message, taken);
    });
}

void TaggedPort::judged(const Message& message, bool taken) {
    if (message->withdrawn) return;
    if (!open_) return answer(message, Code::remote_closed);
    if (message->eager) place(message);
    if (taken) return grant(message);
    message->announced = true;
    if (std::exchange(probing_, false)) nic_->notify();
}

/// The message has its receive.
void TaggedPort::grant(const Message& message) {
    if (!open_) return answer(message, Code::remote_closed);
    message->granted = true;
    if (message->given_up && !message->placed) return complete_receive(*message, Code::timed_out);
    if (message->eager) {
        if (message->placed) deliver(*message);
        return;
    }
    const Duration cost =
        large(message->size) && rules_.implicit_registration
            ? registering(message->receive.buffer.first(message->fitting().count()))
            : Duration{};
    if (cost == Duration{}) return pull(message);
    // By a thread of the system's, not by the rank (MX-4).
    sim::Engine& engine = network().engine;
    registers_until_ = std::max(registers_until_, engine.now()) + cost;
    engine.schedule(registers_until_,
                    [self = shared_from_this(), message] { self->pull(message); });
}

Duration TaggedPort::registering(std::span<const std::byte> buffer) {
    const TaggedRegistrations::Work work = registrations_.use(buffer);
    Duration cost;
    if (work.deregistered)
        cost += wire().host_cost(HostStep::deregister_memory, *work.deregistered);
    if (work.registered) cost += wire().host_cost(HostStep::register_memory, *work.registered);
    return cost;
}

void TaggedPort::pull(const Message& message) {
    if (!open_) return answer(message, Code::remote_closed);
    if (message->given_up) return;
    wire().carry(transfer(Kind::tagged_pull, end(), message->from->end()),
                 [self = shared_from_this(), message] { message->from->pulled(self, message); });
}

/// At the sender: the target asks for the data.
void TaggedPort::pulled(const std::shared_ptr<TaggedPort>& target, const Message& message) {
    if (message->given_up) return;
    if (!open_)
        return wire().carry(
            transfer(Kind::acknowledgment, end(), message->target),
            [target, message] { target->complete_receive(*message, Code::remote_closed); });
    Transfer data = transfer(Kind::tagged_data, end(), message->target);
    message->number = data.message;
    data.size = message->fitting();
    wire().carry(data, [target, message] { target->land(message); });
}

void TaggedPort::land(const Message& message) {
    if (!open_) return answer(message, Code::remote_closed);
    if (message->given_up) return;
    place(message);
}

void TaggedPort::place(const Message& message) {
    Transfer coming;
    coming.message = message->number;
    coming.kind = message->eager ? Kind::tagged : Kind::tagged_data;
    coming.from = message->from->end();
    coming.to = end();
    coming.size = message->eager ? message->size : message->fitting();
    coming.inlined = message->eager && inlined(message->size);
    wire().place(coming, [self = shared_from_this(), message] { self->placed(message); });
}

void TaggedPort::placed(const Message& message) {
    if (!open_) return answer(message, Code::remote_closed);
    if (message->given_up) return;
    message->placed = true;
    // The sender's memory is the user's again, and may be gone.
    if (!message->eager && !message->from->open_)
        return complete_receive(*message, Code::remote_closed);
    if (message->granted) deliver(*message);
    answer(message, {});
}

/// All of it has come, and it has its receive.
void TaggedPort::deliver(const TaggedMessage& message) {
    const std::span<const std::byte> data = message.eager ? message.carried : message.kept;
    const std::size_t n = message.fitting().count();
    if (n > 0) std::memcpy(message.receive.buffer.data(), data.data(), n);
    if (nic_->host && !(message.eager && (inlined(message.size) || copied(message.size))))
        nic_->host->overwritten(message.receive.buffer.data(), n);
    complete_receive(message, n < data.size() ? Code::too_long : Code::ok);
}

void TaggedPort::complete_receive(const TaggedMessage& message, Status status) {
    if (open_) complete(received(message, status));
}

TaggedPort::Entry TaggedPort::received(const TaggedMessage& message, Status status) const {
    fabric::TaggedCompletion completion;
    completion.id = message.receive.id;
    completion.status = status;
    completion.peer = message.source;
    completion.bits = message.bits;
    completion.length = message.size;
    completion.receive = true;
    return {.completion = completion,
            .placed = message.fitting(),
            .into = message.receive.scratch ? nullptr : message.receive.buffer.data(),
            .copied = message.eager && copied(message.size),
            .inlined = message.eager && inlined(message.size),
            .unexpected = message.announced};
}

/// The target's word to the sender; the first one counts.
void TaggedPort::answer(const Message& message, Status status) {
    if (std::exchange(message->answered, true)) return;
    TaggedPort& from = *message->from;
    from.wire().carry(from.transfer(Kind::acknowledgment, message->target, from.end()),
                      [message, status] {
                          if (std::exchange(message->told, true)) return;
                          message->from->sent(*message, status);
                      });
}

void TaggedPort::sent(const TaggedMessage& message, Status status) {
    std::erase_if(kept_sends_, [&](const Message& kept) { return kept.get() == &message; });
    if (!open_) return;
    fabric::TaggedCompletion completion;
    completion.id = message.id;
    completion.status = status;
    completion.peer = message.to;
    completion.bits = message.bits;
    completion.length = message.size;
    completion.cancelled = message.withdrawn && status.ok();
    complete({.completion = completion});
}

}  // namespace railyard::virtual_time
