// How a queue pair's requests leave, and what comes in: messages into receives, and the ends that a
// stream may come to.

#include <algorithm>
#include <array>
#include <cstring>

#include "base/log.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/queue_pair.hpp"
#include "interconnects/real/iwarp/region.hpp"

namespace railyard::iwarp {

using fabric::ConnectionState;
using fabric::Flags;
using fabric::Op;

namespace {

/// What an Outstanding's cookie is: a request, which has an even address, or an odd number, of the
/// last request that the answer confirms.
std::uint64_t cookie_of(const Request& request) {
    return reinterpret_cast<std::uintptr_t>(&request);
}
std::uint64_t cookie_of(std::uint64_t confirmed) {
    return confirmed << 1 | 1;
}

}  // namespace

// Out: each request becomes one message of the stream, or two. That one is done at the peer is
// learnt by a Read of no bytes behind it, which is answered only when all before it was delivered.

void QueuePair::issue() {
    if (state_ != ConnectionState::connected) {
        link_->stream().pump();
        return;
    }
    Stream& stream = link_->stream();
    for (;;) {
        const bool more = stream.pump();
        if (current_ != nullptr && stream.message_end())
            part_added(*current_, *stream.message_end());
        if (!more || !begin_next(stream)) break;
    }
    // It could not read what it was to send: the region has gone.
    if (stream.terminated()) fail(Code::region_gone, Code::region_gone, terminate_local());
}

void QueuePair::part_added(Request& request, std::uint64_t end) {
    current_ = nullptr;
    const bool two_parts = request.with_immediate || request.op == Op::rdma_write_imm;
    if (two_parts && request.part++ == 0) return;
    request.added = true;
    request.end = end;
    unissued_ = request.next;
    if (request.awaits_confirmation()) confirmation_wanted_ = request.sequence;
}

/// False if there is nothing that can be begun now.
bool QueuePair::begin_next(Stream& stream) {
    const bool asks = life_wanted_ || confirmation_wanted_ > confirmation_asked_;
    if (asks && ask_for_confirmation(stream)) return true;
    if (unissued_ == nullptr) return false;
    Request& request = *unissued_;
    if (request.fault != Code::ok) return false;
    if (has(request.flags, Flags::fence) && reads_under_way_ > 0 && request.part == 0) return false;
    if (request.awaits_answer() && !begin_request(stream, request)) return false;
    current_ = &request;
    const bool solicited = has(request.flags, Flags::solicited);
    switch (request.op) {
        case Op::send:
            if (request.with_immediate && request.part == 0) {
                stream.begin(immediate_of_send_message(request.immediate));
            } else {
                const SendFlags flags{solicited, request.invalidates, request.stag};
                stream.begin(send_message(request.list(), request.length, flags));
            }
            break;
        case Op::rdma_write_imm:
            if (request.part == 1) {
                stream.begin(immediate_message(request.immediate, solicited));
                break;
            }
            [[fallthrough]];
        case Op::rdma_write:
            stream.begin(write_message(request.stag, request.to, request.list(), request.length));
            break;
        default:
            break;
    }
    return true;
}

/// A Read or an atomic. False if as many are under way as the peer serves.
bool QueuePair::begin_request(Stream& stream, Request& request) {
    Outstanding what;
    what.cookie = cookie_of(request);
    what.sink = request.list();
    if (request.is_read()) {
        what.sink_stag = next_number_;
        what.length = static_cast<std::uint32_t>(request.length);
        const rdmap::ReadRequest read{.sink_stag = next_number_,
                                      .length = what.length,
                                      .source_stag = request.stag,
                                      .source_to = request.to};
        if (!stream.begin_request(read_message(read), what)) return false;
    } else {
        what.atomic = true;
        what.id = next_number_;
        const bool add = request.op == Op::fetch_add;
        constexpr std::uint64_t all = ~std::uint64_t{};
        const rdmap::AtomicRequest atomic{
            .op = add ? rdmap::AtomicOp::fetch_add : rdmap::AtomicOp::compare_swap,
            .id = next_number_,
            .stag = request.stag,
            .to = request.to,
            .operand = add ? request.operand : request.swap,
            .operand_mask = add ? 0 : all,
            .compare = add ? 0 : request.operand,
            .compare_mask = all};
        if (!stream.begin_request(atomic_message(atomic), what)) return false;
    }
    ++next_number_;
    ++reads_under_way_;
    return true;
}

bool QueuePair::ask_for_confirmation(Stream& stream) {
    Outstanding what;
    what.cookie = cookie_of(confirmation_wanted_);
    what.sink_stag = next_number_;
    if (!stream.begin_request(read_message({.sink_stag = next_number_}), what)) return false;
    ++next_number_;
    confirmation_asked_ = confirmation_wanted_;
    life_wanted_ = false;
    return true;
}

void QueuePair::ask_for_life() {
    if (life_asked_ || state_ != ConnectionState::connected) return;
    life_asked_ = life_wanted_ = true;
    link_->push();
}

void QueuePair::answered(const Outstanding& request, std::uint64_t original) {
    become_ready();
    life_asked_ = false;
    if ((request.cookie & 1) != 0) {
        confirmed_ = std::max(confirmed_, request.cookie >> 1);
        return;
    }
    auto& asked = *reinterpret_cast<Request*>(request.cookie);
    if (asked.is_atomic()) {
        std::array<std::byte, sizeof original> bytes;
        std::memcpy(bytes.data(), &original, sizeof original);
        Cursor(asked.list()).write(bytes);
    }
    asked.answered = true;
    --reads_under_way_;
    // Whatever was posted before was delivered before this was answered.
    confirmed_ = std::max(confirmed_, asked.sequence - 1);
}

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
