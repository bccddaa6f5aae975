#include "interconnects/real/iwarp/stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace railyard::iwarp {

using rdmap::Opcode;

namespace {

template <class Control>
Message control_message(Opcode opcode, const Control& control) {
    Message message;
    message.opcode = opcode;
    rdmap::write(message.control.data(), control);
    message.control_size = Control::size;
    return message;
}

Message tagged_message(Opcode opcode, std::uint32_t stag, std::uint64_t to,
                       std::span<const Place> payload, std::uint64_t length) {
    Message message;
    message.opcode = opcode;
    message.stag = stag;
    message.to = to;
    message.payload = payload;
    message.length = length;
    return message;
}

}  // namespace

Message send_message(std::span<const Place> payload, std::uint64_t length, SendFlags flags) {
    Message message;
    message.opcode = flags.invalidates ? (flags.solicited ? Opcode::send_solicited_invalidate
                                                          : Opcode::send_invalidate)
                                       : (flags.solicited ? Opcode::send_solicited : Opcode::send);
    message.stag = flags.invalidates ? flags.stag : 0;
    message.payload = payload;
    message.length = length;
    return message;
}
Message write_message(std::uint32_t stag, std::uint64_t to, std::span<const Place> payload,
                      std::uint64_t length) {
    return tagged_message(Opcode::write, stag, to, payload, length);
}
Message immediate_message(std::uint32_t value, bool solicited) {
    return control_message(solicited ? Opcode::immediate_solicited : Opcode::immediate,
                           rdmap::Immediate{value});
}
Message immediate_of_send_message(std::uint32_t value) {
    return control_message(Opcode::immediate, rdmap::Immediate{value, true});
}
Message read_message(const rdmap::ReadRequest& request) {
    return control_message(Opcode::read_request, request);
}
Message read_response_message(const rdmap::ReadRequest& request, std::span<const Place> payload) {
    Message message = tagged_message(Opcode::read_response, request.sink_stag, request.sink_to,
                                     payload, request.length);
    message.may_change = true;  // it lies in a region, which is anybody's
    return message;
}
Message atomic_message(const rdmap::AtomicRequest& request) {
    return control_message(Opcode::atomic_request, request);
}
Message atomic_response_message(const rdmap::AtomicResponse& response) {
    return control_message(Opcode::atomic_response, response);
}
Message terminate_message(const Terminate& found) {
    Message message;
    message.opcode = Opcode::terminate;
    message.control_size = found.write(message.control.data());
    return message;
}

void Sender::begin(const Message& message) {
    const rdmap::Shape shape = rdmap::shape_of(message.opcode);
    message_ = message;
    payload_ = Cursor(message.payload);
    progress_ = 0;
    busy_ = true;
    header_ = {};
    header_.tagged = shape.tagged;
    header_.ulp_control = rdmap::to_byte(message.opcode);
    if (shape.tagged) {
        header_.stag = message.stag;
        return;
    }
    header_.ulp_word = message.stag;
    header_.queue = static_cast<std::uint32_t>(shape.queue);
    header_.msn = next_msn_[header_.queue]++;
}

Sender::Pumped Sender::pump(Outbox& out) {
    std::array<std::byte, ddp::longest_header + rdmap::longest_control> head;
    const std::size_t head_size = header_.size() + message_.control_size;
    while (busy_) {
        const std::uint64_t left = message_.length - progress_;
        const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, ulpdu_ - head_size));
        if (!payload_.holds(n)) return Pumped::source_lost;
        header_.last = n == left;
        header_.to = message_.to + progress_;
        header_.mo = static_cast<std::uint32_t>(progress_);
        ddp::write(head.data(), header_);
        std::memcpy(head.data() + header_.size(), message_.control.data(), message_.control_size);
        if (!framer_.frame(out, {head.data(), head_size}, payload_, n, message_.may_change))
            return Pumped::full;
        progress_ += n;
        busy_ = !header_.last;
    }
    return Pumped::done;
}

Stream::Stream(const Settings& settings, TagTable& tags, StagingPool& pool, Upcalls& upcalls)
    : speaks_second_(settings.speaks_second),
      receiver_(settings.receiver, tags, upcalls),
      deframer_(settings.in, pool, receiver_, settings.watched),
      sender_(settings.out, settings.ulpdu, settings.receiver.first_msn) {}

bool Stream::may_speak() const {
    // Once something came that was wrong, the peer does speak MPA, and may be told.
    return !speaks_second_ || deframer_.frames() > 0 || deframer_.stopped();
}

bool Stream::pump() {
    if (!may_speak() || !outbox_.has_storage() || said_last_words_) return false;
    if (last_words_ && sending_ == Sending::message) abandon();
    if (!pump_current()) return false;
    // Also before the last words: what the peer asked for before something went wrong, it gets.
    while (may_answer_ && !receiver_.inbound().empty()) {
        begin_answer();
        if (!pump_current()) return false;
    }
    if (!last_words_) return true;
    sender_.begin(terminate_message(*last_words_));
    sending_ = Sending::last_words;
    return pump_current();
}

void Stream::abandon() {
    sender_.abandon();
    sending_ = Sending::nothing;
}

/// False if nothing else may be begun.
bool Stream::pump_current() {
    switch (sender_.pump(outbox_)) {
        case Sender::Pumped::full:
            return false;
        case Sender::Pumped::source_lost:
            if (sending_ == Sending::answer) {
                answer_failed();
            } else {
                terminate(terminate_local());
                abandon();
            }
            return pump();
        case Sender::Pumped::done:
            break;
    }
    switch (std::exchange(sending_, Sending::nothing)) {
        case Sending::last_words:
            said_last_words_ = true;
            return false;
        case Sending::message:
            message_end_ = outbox_.end_position();
            break;
        case Sending::answer:
            receiver_.inbound().pop();  // only now: the peer counts it until it is answered
            break;
        case Sending::nothing:
            break;
    }
    return true;
}

void Stream::begin(const Message& message) {
    message_end_.reset();
    sender_.begin(message);
    sending_ = Sending::message;
}

bool Stream::begin_request(const Message& message, const Outstanding& what) {
    if (receiver_.outstanding().full()) return false;
    receiver_.outstanding().push(what);
    begin(message);
    return true;
}

void Stream::begin_answer() {
    sending_ = Sending::answer;
    const Inbound& request = receiver_.inbound().front();
    if (!request.atomic) {
        answer_place_ = {request.data, request.read.length, request.lease};
        sender_.begin(read_response_message(request.read, {&answer_place_, 1}));
        return;
    }
    if (!request.lease.holds()) return answer_failed();
    const std::uint64_t original = rdmap::carry_out(request.operation, request.data);
    sender_.begin(atomic_response_message({request.operation.id, original}));
}

/// The region went between the request and its answer.
void Stream::answer_failed() {
    const Inbound& request = receiver_.inbound().front();
    Terminate why = iwarp::terminate(rdmap::ProtectionError::invalid_stag);
    why.has_length = true;
    why.segment_length = request.segment_length;
    why.ddp_size = ddp::untagged_size;
    std::memcpy(why.ddp.data(), request.ddp.data(), ddp::untagged_size);
    if (!request.atomic) {  // what is left of it
        const std::uint64_t served = sender_.progress();
        why.has_read = true;
        why.read = request.read;
        why.read.sink_to += served;
        why.read.source_to += served;
        why.read.length -= static_cast<std::uint32_t>(served);
    }
    terminate(why);
    may_answer_ = false;
    abandon();
}

void Stream::terminate(const Terminate& why) {
    if (!terminated()) last_words_ = why;
}

}  // namespace railyard::iwarp
