#include "interconnects/real/iwarp/stream.hpp"

#include <cstring>
#include <utility>

namespace railyard::iwarp {

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
