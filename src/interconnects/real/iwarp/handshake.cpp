#include "interconnects/real/iwarp/handshake.hpp"

#include <algorithm>

namespace railyard::iwarp::mpa {

namespace {

/// The first of these that both know: a Write costs the least, a Send costs a receive.
Rtr choose(const RtrKinds& ours, const RtrKinds& theirs) {
    if (ours.write && theirs.write) return Rtr::write;
    if (ours.read && theirs.read) return Rtr::read;
    if (ours.send && theirs.send) return Rtr::send;
    return Rtr::none;
}

RtrKinds only(Rtr rtr) {
    return {.send = rtr == Rtr::send, .write = rtr == Rtr::write, .read = rtr == Rtr::read};
}

/// What one side may have under way, if the other serves `served`.
std::uint16_t limited_by(std::uint16_t wanted, std::uint16_t served) {
    return served == not_negotiated ? wanted : std::min(wanted, served);
}

void set_framing(Agreement& agreement, bool crc, bool we_want_markers, bool they_want_markers) {
    agreement.in = {crc, we_want_markers};
    agreement.out = {crc, they_want_markers};
}

}  // namespace

Initiator::Initiator(const Wishes& wishes, std::span<const std::byte> private_data)
    : wishes_(wishes) {
    StartupFrame request;
    request.markers = wishes.markers;
    request.crc = wishes.crc;
    request.revision = wishes.revision;
    if (wishes.revision >= 2)
        request.enhanced = Enhanced{.peer_to_peer = wishes.peer_to_peer,
                                    .rtr = wishes.rtr,
                                    .ird = wishes.ird,
                                    .ord = wishes.ord};
    request.set_private_data(private_data);
    output_.set(request);
}

std::size_t Initiator::feed(std::span<const std::byte> bytes) {
    const std::size_t used = reader_.feed(bytes);
    if (state_ != State::asking) return used;
    if (reader_.error() != StartupError::none) {
        fail(reader_.error());
    } else if (reader_.complete()) {
        understand();
    }
    return used;
}

void Initiator::understand() {
    reply_ = reader_.frame();
    if (reply_->reject) {
        state_ = State::rejected;
        return;
    }
    // What was asked for in revision 2 is answered so; what was not is not.
    const bool asked_enhanced = wishes_.revision >= 2;
    if (asked_enhanced != reply_->enhanced.has_value() || reply_->revision > wishes_.revision)
        return fail(StartupError::wrong_answer);
    set_framing(agreement_, wishes_.crc || reply_->crc, wishes_.markers, reply_->markers);
    agreement_.ird = wishes_.ird;
    agreement_.ord = wishes_.ord;
    agreement_.enhanced = asked_enhanced;
    if (asked_enhanced) {
        const Enhanced& theirs = *reply_->enhanced;
        if (theirs.peer_to_peer != wishes_.peer_to_peer) return fail(StartupError::wrong_answer);
        agreement_.ord = limited_by(wishes_.ord, theirs.ird);
        if (theirs.ord != not_negotiated && theirs.ord > wishes_.ird)
            return fail(StartupError::wrong_answer, Fault::insufficient_ird);
        if (wishes_.peer_to_peer) {
            agreement_.rtr = choose(wishes_.rtr, theirs.rtr);
            if (agreement_.rtr == Rtr::none)
                return fail(StartupError::wrong_answer, Fault::no_matching_rtr);
            // The Read that says "ready" takes a place, too; the peer has one for it.
            if (agreement_.rtr == Rtr::read)
                agreement_.ord = std::max<std::uint16_t>(agreement_.ord, 1);
        }
    }
    state_ = State::agreed;
}

void Initiator::fail(StartupError error, std::optional<Fault> terminate) {
    state_ = State::failed;
    error_ = error;
    terminate_ = terminate;
}

std::size_t Answerer::feed(std::span<const std::byte> bytes) {
    const std::size_t used = reader_.feed(bytes);
    if (state_ != State::listening) return used;
    if (reader_.error() != StartupError::none) {
        state_ = State::failed;
    } else if (reader_.complete()) {
        request_ = reader_.frame();
        state_ = State::asked;
    }
    return used;
}

const Agreement& Answerer::accept(const Wishes& wishes, std::span<const std::byte> private_data) {
    StartupFrame reply;
    reply.reply = true;
    reply.revision = request_->revision;
    reply.crc = wishes.crc || request_->crc;
    reply.markers = wishes.markers;
    set_framing(agreement_, reply.crc, wishes.markers, request_->markers);
    agreement_.ird = wishes.ird;
    agreement_.ord = wishes.ord;
    if (request_->enhanced) {
        const Enhanced& theirs = *request_->enhanced;
        Enhanced ours{.peer_to_peer = theirs.peer_to_peer};
        agreement_.enhanced = true;
        if (theirs.peer_to_peer) {
            agreement_.rtr = choose(wishes.rtr, theirs.rtr);
            // Nothing in common: what we know, so that the other side can say that it does not.
            ours.rtr = agreement_.rtr == Rtr::none ? wishes.rtr : only(agreement_.rtr);
        }
        agreement_.ord = limited_by(wishes.ord, theirs.ird);
        ours.ord = theirs.ird == not_negotiated ? not_negotiated : agreement_.ord;
        if (theirs.ord == not_negotiated) {
            ours.ird = not_negotiated;
        } else {  // no more than is asked for, but room for a Read that says "ready"
            const std::uint16_t needed = agreement_.rtr == Rtr::read ? 1 : 0;
            agreement_.ird = std::max(needed, std::min(wishes.ird, theirs.ord));
            ours.ird = agreement_.ird;
        }
        reply.enhanced = ours;
    }
    reply.set_private_data(private_data);
    output_.set(reply);
    state_ = State::accepted;
    return agreement_;
}

void Answerer::reject(std::span<const std::byte> private_data) {
    StartupFrame reply;
    reply.reply = true;
    reply.reject = true;
    reply.revision = request_->revision;
    reply.crc = request_->crc;
    if (request_->enhanced)
        reply.enhanced = Enhanced{.peer_to_peer = request_->enhanced->peer_to_peer,
                                  .rtr = request_->enhanced->rtr,
                                  .ird = request_->enhanced->ord,
                                  .ord = request_->enhanced->ird};
    reply.set_private_data(private_data);
    output_.set(reply);
    state_ = State::rejected;
}

}  // namespace railyard::iwarp::mpa
