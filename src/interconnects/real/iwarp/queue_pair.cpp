#include "interconnects/real/iwarp/queue_pair.hpp"

#include <utility>

#include "base/log.hpp"
#include "interconnects/real/common/shape.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/region.hpp"

namespace railyard::iwarp {

using fabric::Access;
using fabric::ConnectionState;
using fabric::Flags;
using fabric::Op;
using fabric::WorkRequest;

namespace {

Access access_for(Op op) {
    switch (op) {
        case Op::rdma_write:
        case Op::rdma_write_imm:
            return Access::remote_write;
        case Op::rdma_read:
            return Access::remote_read;
        case Op::fetch_add:
        case Op::compare_swap:
            return Access::remote_atomic;
        default:
            return Access::local;
    }
}

Code tagged_status(std::uint8_t code) {
    switch (static_cast<ddp::TaggedError>(code)) {
        case ddp::TaggedError::invalid_stag:
            return Code::region_gone;  // its rights were checked before it was used
        case ddp::TaggedError::out_of_bounds:
        case ddp::TaggedError::wraps:
            return Code::out_of_bounds;
        case ddp::TaggedError::not_of_stream:
            return Code::bad_key;
        default:
            return Code::remote_fault;
    }
}

Code untagged_status(std::uint8_t code) {
    switch (static_cast<ddp::UntaggedError>(code)) {
        case ddp::UntaggedError::no_buffer:
            return Code::receiver_not_ready;
        case ddp::UntaggedError::too_long:
            return Code::too_long;
        default:
            return Code::remote_fault;
    }
}

Code protection_status(std::uint8_t code) {
    switch (static_cast<rdmap::ProtectionError>(code)) {
        case rdmap::ProtectionError::invalid_stag:
            return Code::region_gone;
        case rdmap::ProtectionError::out_of_bounds:
        case rdmap::ProtectionError::wraps:
            return Code::out_of_bounds;
        case rdmap::ProtectionError::no_right:
            return Code::no_right;
        case rdmap::ProtectionError::not_of_stream:
        case rdmap::ProtectionError::cannot_invalidate:
            return Code::bad_key;
    }
    return Code::remote_fault;
}

}  // namespace

QueuePair::QueuePair(Nic& nic, const fabric::QueuePairOptions& options)
    : real::QueuePair<Parts>(nic, options), own_patience_(options.receiver_not_ready_timeout) {}

QueuePair::~QueuePair() {
    close();
    const auto guard = nic_.guard();
    nic_.forget(*this);
    leave_queues();
}

QueuePair::Posted QueuePair::post(std::span<const WorkRequest> requests) {
    const auto guard = nic_.guard();
    if (state_ != ConnectionState::connected) [[unlikely]]
        return not_accepting();
    const real::Limits limits{max_slices, max_inline, nic_.traits().max_message.count()};
    Posted posted{0, Code::ok};
    for (const WorkRequest& work : requests) {
        const real::Shape shape = real::shape_of(work, limits, &nic_);
        posted.status = shape.refusal;
        if (shape.refusal == Code::ok && count_ == send_depth_) {
            link_->push();
            if (state_ != ConnectionState::connected) return {posted.count, Code::flushed};
            if (count_ == send_depth_) posted.status = Code::again;
        }
        if (!posted.status.ok()) break;
        enqueue(work, shape.length, shape.fault);
        ++posted.count;
    }
    // All together: they may travel in one packet.
    if (posted.count > 0) link_->push();
    return posted;
}

void QueuePair::enqueue(const WorkRequest& work, std::uint64_t length, Code fault) {
    Request& request = *nic_.requests().take();
    request.next = nullptr;
    request.id = work.id;
    request.op = work.op;
    request.flags = work.flags;
    request.fault = fault == Code::ok ? check(work, length) : fault;
    request.with_immediate = work.op == Op::send && work.with_immediate;
    request.invalidates = work.op == Op::send && work.invalidate != nullptr;
    request.part = 0;
    request.added = request.answered = false;
    request.immediate = work.immediate;
    request.operand = work.operand;
    request.swap = work.swap;
    request.length = length;
    request.sequence = ++sequence_;
    const fabric::RemoteRegion* const remote =
        work.op == Op::send ? work.invalidate : work.remote.region;
    if (remote != nullptr) {
        const auto& region = static_cast<const ImportedRegion&>(*remote);
        request.stag = region.stag();
        request.to = region.tagged_offset(work.remote.offset.count());
    }
    request.count = 0;
    if (!work.bytes.empty()) {
        copy_bytes(request.bytes.data(), work.bytes.data(), work.bytes.size());
        request.places[request.count++] = {request.bytes.data(), work.bytes.size(), Lease()};
    } else if (request.fault == Code::ok) {
        for (const fabric::Slice& slice : work.local)
            if (slice.length > Bytes()) request.places[request.count++] = place_of(slice);
    }
    (oldest_ == nullptr ? oldest_ : newest_->next) = &request;
    newest_ = &request;
    if (unissued_ == nullptr) unissued_ = &request;
    ++count_;
}

bool QueuePair::is_done(const Request& request) const {
    if (!request.added) return false;
    if (request.awaits_answer()) return request.answered;
    if (request.awaits_confirmation()) return confirmed_ >= request.sequence;
    return link_->stream().outbox().sent_position() >= request.end;
}

Request* QueuePair::unlink_oldest() {
    Request* const request = oldest_;
    oldest_ = request->next;
    if (unissued_ == request) unissued_ = request->next;
    if (current_ == request) current_ = nullptr;
    // Whoever waits for room waits on requests that tell nothing, too.
    if (count_-- == send_depth_) nic_.has_news();
    return request;
}

void QueuePair::retire_done() {
    while (oldest_ != nullptr && oldest_->fault == Code::ok && is_done(*oldest_)) {
        Request* const request = unlink_oldest();
        if (!has(request->flags, Flags::unsignalled)) complete(*request, Code::ok);
        nic_.requests().give_back(request);
    }
}

void QueuePair::retire() {
    if (state_ != ConnectionState::connected) return;
    retire_done();
    if (oldest_ == nullptr || oldest_->fault == Code::ok) return;
    // Its turn has come: all before it is done.
    fail(oldest_->fault, oldest_->fault, terminate_local());
}

void QueuePair::complete(const Request& request, Code status) {
    complete_send(request.id, request.op, status, status == Code::ok ? request.length : 0);
    nic_.has_news();
}

void QueuePair::close() {
    const auto guard = nic_.guard();
    if (is_connecting()) return connection_failed(Code::flushed);
    if (state_ != ConnectionState::connected) return;
    fail(Code::flushed, Code::flushed, std::nullopt);
}

void QueuePair::fail(Code code, Code oldest, const std::optional<Terminate>& last_words) {
    if (state_ != ConnectionState::connected) return;
    log_debug("iwarp: a connection is over: {}", railyard::name(code));
    retire_done();
    state_ = ConnectionState::failed;
    reason_ = code;
    flush_requests(oldest);
    if (std::exchange(claimed_, false)) complete_receive(receive_.id, code);
    starving_ = false;
    flush_receives();
    nic_.forget(*this);
    nic_.has_news();
    if (last_words) link_->stream().terminate(*last_words);
    // Without last words, a frame that left in part need not be finished.
    const bool abrupt = !last_words && !link_->stream().outbox().empty();
    nic_.linger(std::move(link_), abrupt);
}

void QueuePair::flush_requests(Code oldest) {
    while (oldest_ != nullptr) {
        Request* const request = unlink_oldest();
        complete(*request, oldest);
        nic_.requests().give_back(request);
        oldest = Code::flushed;
    }
    newest_ = unissued_ = current_ = nullptr;
}

// What this side knows of the peer's memory before it asks, and what a Terminate says about what
// was asked.

Code QueuePair::check(const fabric::WorkRequest& work, std::uint64_t length) const {
    // A peer that is not ours may serve no Reads, and those that say "done" are Reads, too.
    const bool asks = work.op == Op::rdma_read || real::is_atomic(work.op) ||
                      has(work.flags, fabric::Flags::remote_completion);
    if (asks && link_->stream().outstanding().capacity() == 0) return Code::unsupported;
    if (work.op == Op::send) {
        if (work.with_immediate && !peer_is_ours_) return Code::unsupported;
        if (work.invalidate == nullptr) return Code::ok;
        const auto& region = static_cast<const ImportedRegion&>(*work.invalidate);
        return region.owner() == peer_ ? Code::ok : Code::bad_key;
    }
    const auto& region = static_cast<const ImportedRegion&>(*work.remote.region);
    if (region.owner() != peer_) return Code::bad_key;
    return region.check(work.remote.offset.count(), length, access_for(work.op));
}

Code QueuePair::status_of(const Terminate& found) const {
    constexpr std::uint8_t local = 0;
    constexpr std::uint8_t first = 1;
    constexpr std::uint8_t second = 2;
    if (found.layer == Terminate::Layer::ddp) {
        if (found.type == first) return tagged_status(found.code);
        if (found.type == second) return untagged_status(found.code);
        return Code::remote_fault;
    }
    if (found.layer == Terminate::Layer::llp) return Code::remote_fault;
    if (found.type == local) return Code::remote_closed;  // through no fault of ours
    if (found.type == first) return protection_status(found.code);
    if (found.code == static_cast<std::uint8_t>(rdmap::OperationError::cannot_invalidate))
        return Code::region_gone;
    return Code::remote_fault;
}

}  // namespace railyard::iwarp
