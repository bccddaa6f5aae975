// What comes in: messages into receives, and the ends that a stream may come to.

#include "base/log.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/queue_pair.hpp"
#include "interconnects/real/iwarp/region.hpp"

namespace railyard::iwarp {

using fabric::ConnectionState;
using fabric::Op;

const ReceiveBuffer* QueuePair::claim_receive() {
    become_ready();
    if (receives_->empty()) return nullptr;
    receive_.copy_from(receives_->front());
    receives_->pop();
    receive_buffer_ = {receive_.list(), receive_.capacity};
    claimed_ = true;
    return &receive_buffer_;
}

void QueuePair::received(const Arrival& arrival) {
    fabric::Completion completion;
    completion.id = receive_.id;
    completion.op = Op::receive;
    completion.has_immediate = arrival.has_immediate;
    completion.immediate = arrival.immediate;
    completion.length = Bytes(arrival.length);
    completion.queue_pair = this;
    completion.invalidated = static_cast<LocalRegion*>(arrival.invalidated);
    claimed_ = false;
    receive_completions_->push(completion);
    if (arrival.solicited || !receive_completions_->solicited_only()) nic_.has_news();
}

void QueuePair::receive_failed(Status why) {
    fabric::Completion completion;
    completion.id = receive_.id;
    completion.status = why;
    completion.op = Op::receive;
    completion.queue_pair = this;
    claimed_ = false;
    receive_fault_ = why.code();
    receive_completions_->push(completion);
    nic_.has_news();
}

void QueuePair::written() {
    become_ready();
    nic_.has_news();
}

void QueuePair::starve() {
    if (starving_) return;
    starving_ = true;
    receives_->add_starving(*this);
    if (peers_patience_ == Duration::forever()) return;
    starving_until_ = nic_.host().now() + peers_patience_;
    nic_.watch_time(*this);
}

void QueuePair::receive_posted() {
    starving_ = false;
    starving_until_ = Time::never();
    if (link_) link_->resume();
}

void QueuePair::failed(const Terminate& found) {
    log_debug("iwarp: a peer did something wrong: {}", found.text());
    become_ready();
    // A message that is too long is as much our fault as the peer's.
    if (receive_fault_ == Code::too_long) {
        fail(Code::too_long, Code::flushed, found);
    } else {
        fail(Code::remote_closed, Code::remote_closed, found);
    }
}

void QueuePair::terminated_by_peer(const Terminate& found) {
    log_debug("iwarp: the peer ended the connection: {}", found.text());
    become_ready();
    const Code code = status_of(found);
    fail(code, code, std::nullopt);
}

void QueuePair::link_lost() {
    if (is_connecting()) {
        // The other side had given up before it was ready.
        nic_.linger(std::move(link_), true);
        return start_over();
    }
    fail(Code::remote_closed, Code::remote_closed, std::nullopt);
}

}  // namespace railyard::iwarp
