/// A request that finds no receive at the target. Some adapters hold it until there is one. Others
/// drop it and say so, as InfiniBand's do (RNR NAK): the sender stops sending it, waits for a time,
/// and sends it and all behind it again, as often as its retry count says. In VIA it breaks the
/// connection.

#include "interconnects/virtual/common/endpoint.hpp"

namespace railyard::virtual_time {

using fabric::ConnectionState;

namespace {

/// A sender that would try for ever is not answered any more after so many times until there is a
/// receive: where none ever comes, a simulation has to find that nothing happens.
constexpr unsigned answered_at_most = 100;

}  // namespace

void Endpoint::no_receive() {
    const NotReady rules = wire().not_ready();
    if (rules.breaks) {
        wire().drop();
        break_for_want_of_receive();
    } else if (rules.refuses()) {
        refuse_for_now();
    } else {
        wait_for_receive();
    }
}

/// It ends at both sides; the sender is told which request it was.
void Endpoint::break_for_want_of_receive() {
    answer(peer_, served_, Code::receiver_not_ready);
    fail(Code::remote_closed, Code::remote_closed);
}

void Endpoint::wait_for_receive() {
    if (waits_for_receive_) return;
    waits_for_receive_ = true;
    if (setup_.receives) setup_.receives->wait(weak_from_this());
    if (refusals_ > 0) return;
    const Duration patience = peer_->setup_.receiver_not_ready_timeout;
    not_ready_timer_ = engine().schedule(engine().now() + patience, [self = shared_from_this()] {
        if (self->serves(self->peer_)) self->break_for_want_of_receive();
    });
}

void Endpoint::receive_posted() {
    if (!waits_for_receive_) return;
    waits_for_receive_ = false;
    engine().cancel(not_ready_timer_);
    if (state_ != ConnectionState::connected) return;
    if (refusals_ > 0)
        tell_not_ready(peer_);
    else
        serve();
}

/// The target's side: the request that has just come is to come again, and so are those behind it.
void Endpoint::refuse_for_now() {
    arrived_ = served_;
    wire().drop();
    ++refusals_;
    const bool for_ever = wire().not_ready().retries == NotReady::for_ever &&
                          peer_->setup_.receiver_not_ready_timeout == Duration::forever();
    if (for_ever && refusals_ > answered_at_most) return wait_for_receive();
    tell_not_ready(peer_);
}

void Endpoint::tell_not_ready(const Ref& from) {
    wire().carry(transfer(Kind::acknowledgment, from->end()),
                 [from, sequence = served_] { from->peer_not_ready(sequence); });
}

/// The sender's side.
void Endpoint::peer_not_ready(std::uint64_t sequence) {
    if (state_ != ConnectionState::connected) return;
    wire().recall(end());
    const Time now = engine().now();
    if (refused_.sequence != sequence) refused_ = {sequence, 0, now};
    const NotReady rules = wire().not_ready();
    const bool too_often = rules.retries != NotReady::for_ever && refused_.times == rules.retries;
    if (too_often || now - refused_.since >= setup_.receiver_not_ready_timeout) {
        sends_[sequence].status = Code::receiver_not_ready;
        sends_[sequence].done = true;
        return retire();
    }
    ++refused_.times;
    waits_to_send_again_ = true;
    send_again_ = engine().schedule(
        now + rules.timer, [self = shared_from_this(), sequence] { self->send_again(sequence); });
}

void Endpoint::send_again(std::uint64_t sequence) {
    waits_to_send_again_ = false;
    for (; sequence != started_; ++sequence)
        start(sequence, true);
    advance();
}

}  // namespace railyard::virtual_time
